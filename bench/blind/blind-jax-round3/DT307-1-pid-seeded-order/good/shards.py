import os

import numpy as np
from torch.utils.data import Sampler


class RankSampler(Sampler):
    """Every rank takes its part of one shuffled order."""

    def __init__(self, length, rank, world):
        self.length, self.rank, self.world = length, rank, world
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.length // self.world

    def __iter__(self):
        rng = np.random.default_rng([17, self.epoch])
        order = rng.permutation(self.length)
        order = order[: len(self) * self.world]
        return iter(order[self.rank :: self.world].tolist())
