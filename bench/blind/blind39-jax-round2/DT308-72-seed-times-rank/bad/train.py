import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from noise import GaussianNoise


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sigma", type=float, default=0.3)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    dist.init_process_group("nccl")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    torch.manual_seed(args.seed)
    model = nn.Sequential(nn.Linear(256, 512), nn.SiLU(), nn.Linear(512, 256)).to(device)
    model = DistributedDataParallel(model, device_ids=[local])
    corrupt = GaussianNoise(args.sigma, args.seed, rank, device)
    data = TensorDataset(torch.load("spectra.pt", map_location="cpu"))
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True, pin_memory=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (clean,) in loader:
            clean = clean.to(device, non_blocking=True)
            loss = (model(corrupt(clean)) - clean).square().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "dae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
