import random

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

WORKERS = 4


class SeedWorkers:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, worker_id):
        value = self.seed + dist_rank() * WORKERS + worker_id
        random.seed(value)
        np.random.seed(value)
        torch.manual_seed(value)


def dist_rank():
    import os

    return int(os.environ.get("RANK", "0"))


def make_loader(dataset, batch_size, seed):
    sampler = DistributedSampler(dataset, seed=seed, shuffle=True)
    loader = DataLoader(
        dataset,
        batch_size=batch_size,
        sampler=sampler,
        num_workers=WORKERS,
        worker_init_fn=SeedWorkers(seed),
        drop_last=True,
    )
    return loader, sampler
