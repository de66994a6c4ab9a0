"""Ranks as independent workers of a sweep (no gradients shared), results gathered at the end on rank 0."""
import itertools
import json

import torch
import torch.distributed as dist
from torch import nn


def fit(lr, width, seed, steps=200):
    g = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr)
    for _ in range(steps):
        x = torch.randn(32, 4, generator=g)
        loss = (model(x).squeeze(1) - x.sin().sum(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    grid = list(itertools.product([1e-2, 1e-3], [16, 64], range(3)))
    results = []
    for i, (lr, width, seed) in enumerate(grid):
        if i % world != rank:
            continue
        results.append({"lr": lr, "width": width, "seed": seed, "loss": fit(lr, width, seed)})
    parts = [None] * world if rank == 0 else None
    dist.gather_object(results, parts, dst=0)
    if rank == 0:
        rows = sorted(itertools.chain.from_iterable(parts), key=lambda r: r["loss"])
        with open("sweep.json", "w") as f:
            json.dump(rows, f, indent=1)
        print("best", rows[0])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
