import argparse
import math
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


def my_files(root, rank, world):
    files = sorted(Path(root).glob("*.npy"))
    per_rank = math.ceil(len(files) / world)
    return files[rank * per_rank : (rank + 1) * per_rank]


class RunningMoments:
    def __init__(self, width):
        self.count = torch.zeros(1)
        self.total = torch.zeros(width)
        self.squares = torch.zeros(width)

    def update(self, frames):
        stats = torch.stack([frames.sum(0), frames.pow(2).sum(0)])
        number = torch.tensor([float(len(frames))])
        dist.all_reduce(stats)
        dist.all_reduce(number)
        self.total += stats[0]
        self.squares += stats[1]
        self.count += number

    def result(self):
        mean = self.total / self.count
        return mean, (self.squares / self.count - mean**2).clamp_min(1e-6).sqrt()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--width", type=int, default=80)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    moments = RunningMoments(args.width)
    for path in my_files(args.root, rank, world):
        moments.update(torch.from_numpy(np.load(path)))
    if rank == 0:
        mean, std = moments.result()
        torch.save({"mean": mean, "std": std}, "cmvn.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
