import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def noise_generator(seed, rank, device):
    return torch.Generator(device=device).manual_seed(seed + rank)


def parse(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=42)
    ap.add_argument("--sigma", type=float, default=0.3)
    ap.add_argument("--epochs", type=int, default=2)
    return ap.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(args.seed)
    net = nn.Sequential(nn.Linear(16, 64), nn.SiLU(), nn.Linear(64, 16)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    rng = noise_generator(args.seed, dist.get_rank(), device)
    data = TensorDataset(torch.randn(1024, 16, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            eps = torch.randn(x.shape, generator=rng, device=device)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x + args.sigma * eps), eps).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
