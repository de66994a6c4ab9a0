import time

import numpy as np


class SharedOrder:
    """One permutation per epoch, of which every rank takes its own stride."""

    def __init__(self, n, rank, world, seed):
        self.n, self.rank, self.world = n, rank, world
        self.seed = seed

    def rows(self, epoch):
        rng = np.random.default_rng([self.seed, epoch])
        usable = self.n // self.world * self.world
        return rng.permutation(self.n)[:usable][self.rank :: self.world]
