"""Data parallel without a wrapper: gradients are averaged in one flat bucket."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Series(Dataset):
    def __init__(self, path, window=96):
        self.values = torch.load(path, map_location="cpu", mmap=True)
        self.window = window

    def __len__(self):
        return len(self.values) - self.window

    def __getitem__(self, i):
        piece = self.values[i : i + self.window + 1].float()
        return piece[:-1], piece[-1]


class Forecast(nn.Module):
    def __init__(self, window=96, width=256):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(window, width), nn.GELU(), nn.Dropout(0.1), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x + 0.01 * torch.randn_like(x)).squeeze(-1)


def average(parameters):
    grads = [p.grad for p in parameters if p.grad is not None]
    bucket = _flatten_dense_tensors(grads)
    dist.all_reduce(bucket)
    bucket /= dist.get_world_size()
    for grad, mean in zip(grads, _unflatten_dense_tensors(bucket, grads)):
        grad.copy_(mean)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--series", default=os.environ.get("SERIES", "series.pt"))
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--epochs", type=int, default=5)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    net = Forecast()
    torch.manual_seed(args.seed + rank)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    data = Series(args.series)
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            average(list(net.parameters()))
            optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), "forecast.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
