import argparse
import itertools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from budget import Budget


def forever(loader, sampler):
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        yield from loader


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--minutes", type=float, default=1.0)
    p.add_argument("--batch-size", type=int, default=32)
    return p.parse_args()


def main():
    args = parse()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 128), nn.GELU(), nn.Linear(128, 16)).to(device)
    model = DDP(model, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(2048, 16, generator=torch.Generator().manual_seed(3)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    batches = forever(loader, sampler)
    budget = Budget(args.minutes)
    steps = 0
    while budget:
        (x,) = next(batches)
        x = x.to(device)
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        steps += 1
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "steps": steps}, "autoencoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
