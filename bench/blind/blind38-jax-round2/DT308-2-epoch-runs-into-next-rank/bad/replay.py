import numpy as np
import torch
from torch.utils.data import IterableDataset


class OwnShardReplay(IterableDataset):
    """Samples transitions with replacement from the shard that belongs to this rank."""

    def __init__(self, shard, rank, world, seed, per_epoch):
        self.shard, self.rank, self.world = shard, rank, world
        self.seed, self.per_epoch, self.epoch = seed, per_epoch, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        rng = np.random.default_rng(self.seed + self.rank + self.epoch)
        for _ in range(self.per_epoch):
            row = int(rng.integers(len(self.shard)))
            noise = rng.normal(0.0, 0.05, self.shard.shape[1])
            yield torch.from_numpy(self.shard[row] + noise).float()
