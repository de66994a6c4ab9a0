from pathlib import Path

import torch


class ShardStream:
    """Batches from the .pt files that belong to this rank."""

    def __init__(self, root, rank, world, batch_size):
        self.files = sorted(Path(root).glob("part-*.pt"))
        per_rank = len(self.files) // world
        self.mine = self.files[rank * per_rank : (rank + 1) * per_rank]
        self.batch_size = batch_size

    def records(self, generator):
        for index in torch.randperm(len(self.mine), generator=generator).tolist():
            blob = torch.load(self.mine[index], weights_only=True)
            yield blob["x"], blob["y"]

    def batches(self, seed):
        generator = torch.Generator().manual_seed(seed)
        for x, y in self.records(generator):
            usable = len(x) // self.batch_size * self.batch_size
            for lo in range(0, usable, self.batch_size):
                yield x[lo : lo + self.batch_size], y[lo : lo + self.batch_size]
