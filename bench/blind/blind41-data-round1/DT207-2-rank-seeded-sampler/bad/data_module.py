import random

import numpy as np
import torch
from torch.utils.data import DataLoader, DistributedSampler


class Seeds:
    def __init__(self, base, rank):
        self.base = base
        self.local = base + 1000 * rank

    def apply(self):
        random.seed(self.local)
        np.random.seed(self.local)


class Loaders:
    def __init__(self, dataset, seeds, rank, world, batch_size):
        self.sampler = DistributedSampler(
            dataset,
            num_replicas=world,
            rank=rank,
            shuffle=True,
            seed=seeds.local,
            drop_last=True,
        )
        self.train = DataLoader(dataset, batch_size=batch_size, sampler=self.sampler, drop_last=True)

    def start_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        return iter(self.train)
