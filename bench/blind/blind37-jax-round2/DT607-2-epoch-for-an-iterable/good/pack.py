import random

import torch
from torch.utils.data import IterableDataset, get_worker_info


class Packed(IterableDataset):
    """Documents of this rank, shuffled by the epoch and packed into blocks."""

    def __init__(self, documents, block, rank, world_size, seed):
        whole = len(documents) - len(documents) % world_size
        self.documents = documents[:whole][rank::world_size]
        self.block, self.seed, self.epoch = block, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        mine = self.documents if info is None else self.documents[info.id :: info.num_workers]
        order = random.Random(f"{self.seed}-{self.epoch}").sample(range(len(mine)), len(mine))
        rest = torch.empty(0, dtype=torch.long)
        for index in order:
            rest = torch.cat([rest, mine[index]])
            while len(rest) >= self.block:
                yield rest[: self.block]
                rest = rest[self.block :]
