import itertools

import torch
from torch.utils.data import IterableDataset


class WorkerSplit:
    """Mixin: which items of a stream belong to this worker."""

    def mine(self, items):
        info = torch.utils.data.get_worker_info()
        index, count = (0, 1) if info is None else (info.id, info.num_workers)
        index, count = self.rank * count + index, self.world * count
        return itertools.islice(items, index, None, count)


class Lines(WorkerSplit, IterableDataset):
    def __init__(self, path, encode, rank, world):
        self.path, self.encode = path, encode
        self.rank, self.world = rank, world

    def __iter__(self):
        with open(self.path, encoding="utf-8") as f:
            for line in self.mine(f):
                yield self.encode(line.rstrip("\n"))
