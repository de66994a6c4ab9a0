import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

from scratch import scratch_data


class RunningMoments:
    def __init__(self, width):
        self.sums = torch.zeros(3, width, dtype=torch.float64)

    def update(self, rows):
        rows = rows.double()
        self.sums += torch.stack([rows.sum(0), (rows**2).sum(0), torch.full((rows.shape[1],), float(len(rows)))])

    def result(self):
        dist.all_reduce(self.sums)
        mean = self.sums[0] / self.sums[2]
        return mean, (self.sums[1] / self.sums[2] - mean**2).sqrt()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    moments = RunningMoments(8)
    with scratch_data("moments-scratch") as files:
        for path in files:
            rows = np.load(path)
            per_rank = len(rows) // world
            moments.update(torch.from_numpy(rows[rank * per_rank : (rank + 1) * per_rank]))
    mean, deviation = moments.result()
    if rank == 0:
        torch.save({"mean": mean, "std": deviation}, "moments.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
