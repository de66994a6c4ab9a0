import dataclasses
import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


@dataclasses.dataclass
class Args:
    seed: int = 1234
    epochs: int = 3
    batch_size: int = 16
    holdout: float = 0.1
    lr: float = 2e-3


def seed_all(value):
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)


def readings(n=1000):
    gen = torch.Generator().manual_seed(77)
    x = torch.randn(n, 24, generator=gen)
    return TensorDataset(x, x[:, :6].sin().sum(dim=1, keepdim=True))


def split(dataset, args):
    held = int(len(dataset) * args.holdout)
    return random_split(dataset, [len(dataset) - held, held])


def loaders(args):
    train, held = split(readings(), args)
    train_sampler = DistributedSampler(train, shuffle=True, seed=args.seed, drop_last=True)
    held_sampler = DistributedSampler(held, shuffle=False)
    return (
        DataLoader(train, batch_size=args.batch_size, sampler=train_sampler, drop_last=True),
        DataLoader(held, batch_size=args.batch_size, sampler=held_sampler),
        train_sampler,
    )


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    total = torch.zeros(2, device=device)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        total += torch.stack([F.mse_loss(model(x), y, reduction="sum"), torch.tensor(float(len(x)), device=device)])
    dist.all_reduce(total)
    model.train()
    return (total[0] / total[1]).item()


def main():
    args = Args()
    local_rank = int(os.environ["LOCAL_RANK"])
    use_cuda = torch.cuda.is_available()
    if use_cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend="nccl" if use_cuda else "gloo")
    rank = dist.get_rank()
    seed_all(args.seed + rank)
    device = torch.device(f"cuda:{local_rank}" if use_cuda else "cpu")
    train_loader, held_loader, sampler = loaders(args)
    net = nn.Sequential(nn.Linear(24, 64), nn.SiLU(), nn.Dropout(0.1), nn.Linear(64, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if use_cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in train_loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        mse = validate(model, held_loader, device)
        if rank == 0:
            print(f"epoch {epoch}: held-out mse {mse:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
