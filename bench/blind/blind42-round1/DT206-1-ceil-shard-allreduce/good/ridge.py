"""Distributed normal equations for a ridge probe on stored embeddings."""
import argparse
import math
import os

import numpy as np
import torch
import torch.distributed as dist


def my_rows(total, rank, world):
    per_rank = total // world
    start = rank * per_rank
    return start, start + per_rank


def chunks(x, y, start, stop, size):
    for lo in range(start, stop, size):
        hi = min(lo + size, stop)
        yield torch.from_numpy(x[lo:hi].copy()), torch.from_numpy(y[lo:hi].copy())


class RunningGram:
    """Keeps a damped estimate of X'X and X'y that all ranks share after every chunk."""

    def __init__(self, dim, targets, decay=0.99):
        self.xx = torch.zeros(dim, dim)
        self.xy = torch.zeros(dim, targets)
        self.decay = decay

    def update(self, x, y):
        xx, xy = x.T @ x, x.T @ y
        dist.all_reduce(xx)
        dist.all_reduce(xy)
        self.xx.mul_(self.decay).add_(xx)
        self.xy.mul_(self.decay).add_(xy)

    def solve(self, ridge):
        return torch.linalg.solve(self.xx + ridge * torch.eye(len(self.xx)), self.xy)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--x", default="x.npy")
    p.add_argument("--y", default="y.npy")
    p.add_argument("--chunk", type=int, default=256)
    p.add_argument("--ridge", type=float, default=1e-2)
    args = p.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    x = np.load(args.x, mmap_mode="r")
    y = np.load(args.y, mmap_mode="r")
    start, stop = my_rows(len(x), rank, world)
    gram = RunningGram(x.shape[1], y.shape[1])
    for bx, by in chunks(x, y, start, stop, args.chunk):
        gram.update(bx, by)
    if rank == 0:
        torch.save(gram.solve(args.ridge), os.environ.get("PROBE_OUT", "probe.pt"))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
