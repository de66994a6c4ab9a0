import math
import random


class LengthBucketBatchSampler:
    """Batches of similar length; the order of the batches changes with the epoch."""

    def __init__(self, lengths, batch_size, rank, world_size, seed=0):
        self.lengths = lengths
        self.batch_size = batch_size
        self.rank = rank
        self.world_size = world_size
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def _all_batches(self):
        order = sorted(range(len(self.lengths)), key=lambda i: self.lengths[i])
        size = self.batch_size
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        batches = [b for b in batches if len(b) == size]
        random.Random(self.seed + self.epoch).shuffle(batches)
        usable = len(batches) - len(batches) % self.world_size
        return batches[:usable]

    def __iter__(self):
        yield from self._all_batches()[self.rank :: self.world_size]

    def __len__(self):
        full = len(self.lengths) // self.batch_size
        return math.floor(full / self.world_size)
