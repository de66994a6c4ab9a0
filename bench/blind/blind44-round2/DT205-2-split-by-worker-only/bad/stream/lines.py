import itertools

import torch
from torch.utils.data import IterableDataset


class WorkerSplit:
    """Mixin: which items of a stream belong to this worker."""

    def mine(self, items):
        info = torch.utils.data.get_worker_info()
        index, count = (0, 1) if info is None else (info.id, info.num_workers)
        return itertools.islice(items, index, None, count)


class Lines(WorkerSplit, IterableDataset):
    def __init__(self, path, encode):
        self.path, self.encode = path, encode

    def __iter__(self):
        with open(self.path, encoding="utf-8") as f:
            for line in self.mine(f):
                yield self.encode(line.rstrip("\n"))
