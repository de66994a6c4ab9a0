import torch
from torch.utils.data import Sampler


class ShardedShuffle(Sampler):
    """Shuffles, cuts to a multiple of the world size and takes every world-th index."""

    def __init__(self, data, rank, world, seed=0):
        self.count = len(data) // world * world
        self.total, self.rank, self.world, self.seed = len(data), rank, world, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.count // self.world

    def __iter__(self):
        g = torch.Generator()
        g.manual_seed(self.seed + 1000 * self.epoch + self.rank)
        order = torch.randperm(self.total, generator=g)[: self.count]
        yield from order[self.rank :: self.world].tolist()
