"""Mean and standard deviation of every feature over a directory of .npy files."""
import argparse
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


class Welford:
    def __init__(self, width):
        self.count = torch.zeros(1, dtype=torch.float64)
        self.total = torch.zeros(width, dtype=torch.float64)
        self.square = torch.zeros(width, dtype=torch.float64)

    def add(self, part):
        self.count += len(part)
        self.total += part.sum(0)
        self.square += part.square().sum(0)

    def agree(self):
        for tensor in (self.count, self.total, self.square):
            dist.all_reduce(tensor)

    def result(self):
        mean = self.total / self.count
        return mean, (self.square / self.count - mean.square()).clamp(min=0).sqrt()


def read(path):
    return torch.from_numpy(np.load(path).astype(np.float64))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--width", type=int, default=32)
    ap.add_argument("--out", type=Path, default=Path("stats.npz"))
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    paths = sorted(args.root.glob("*.npy"))
    mine = paths[rank::world]
    running = Welford(args.width)
    for number, path in enumerate(mine):
        part = Welford(args.width)
        part.add(read(path))
        part.agree()
        running.count += part.count
        running.total += part.total
        running.square += part.square
        if rank == 0 and number % 10 == 0:
            print(f"{number + 1} of {len(mine)}")
    mean, std = running.result()
    if rank == 0:
        np.savez(args.out, mean=mean.numpy(), std=std.numpy())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
