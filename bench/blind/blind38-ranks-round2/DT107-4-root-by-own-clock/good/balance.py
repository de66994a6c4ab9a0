import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn


class Timed(nn.Module):
    """A block that remembers how long its last forwards took."""

    def __init__(self, dim, depth):
        super().__init__()
        self.body = nn.Sequential(*[nn.Linear(dim, dim) for _ in range(depth)])
        self.seconds = 0.0

    def forward(self, x):
        began = time.perf_counter()
        out = torch.tanh(self.body(x))
        self.seconds = 0.9 * self.seconds + 0.1 * (time.perf_counter() - began)
        return out


def loads(blocks, world):
    """Seconds of work for each rank when block i belongs to rank i % world."""
    totals = [0.0] * world
    for i, block in enumerate(blocks):
        totals[i % world] += block.seconds
    return totals


def collect_on_idlest(blocks, rows, rank, world):
    """The rank with the least work gets the outputs of all and computes the loss."""
    totals = loads(blocks, world)
    shared = torch.tensor(totals)
    dist.all_reduce(shared)
    root = int(shared.argmin())
    parts = [torch.empty_like(rows) for _ in range(world)] if rank == root else None
    dist.gather(rows, parts, dst=root)
    error = torch.zeros(())
    if rank == root:
        error = torch.cat(parts).square().mean()
    dist.broadcast(error, src=root)
    return error.item()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(5)
    blocks = nn.ModuleList([Timed(64, depth=1 + i % 3) for i in range(2 * world)])
    gen = torch.Generator().manual_seed(60 + rank)
    with torch.no_grad():
        for step in range(int(os.environ.get("STEPS", "100"))):
            rows = torch.randn(32, 64, generator=gen)
            for block in blocks:
                rows = block(rows)
            error = collect_on_idlest(blocks, rows, rank, world)
            if rank == 0 and step % 20 == 0:
                print(step, error)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
