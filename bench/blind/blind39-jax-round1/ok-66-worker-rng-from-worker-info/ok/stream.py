import random

import torch
from torch.utils.data import IterableDataset, get_worker_info


class ShuffledShards(IterableDataset):
    def __init__(self, shards, rank, world, seed):
        self.shards = sorted(shards)
        self.rank, self.world, self.seed = rank, world, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        order = self.shards[:]
        random.Random(f"{self.seed}-{self.epoch}").shuffle(order)
        noise = random.Random(info.seed if info else self.seed + self.rank)
        for path in order[self.rank * workers + worker :: self.world * workers]:
            for sample in torch.load(path, map_location="cpu"):
                if noise.random() < 0.5:
                    sample = sample.flip(0)
                yield sample
