import functools

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class NoisyPoints(Dataset):
    """Points that are jittered anew each time they are read."""

    def __init__(self, n, dim):
        self.base = np.linspace(0, 1, n * dim, dtype=np.float32).reshape(n, dim)

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        x = self.base[i] + np.random.normal(scale=0.1, size=self.base.shape[1])
        return torch.from_numpy(x.astype(np.float32)), float(self.base[i].sum())


def init_worker(worker_id, *, seed, rank, workers):
    np.random.seed(seed + rank + worker_id)


def make_loader(opts, rank, world):
    data = NoisyPoints(512, 6)
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, drop_last=True)
    init = functools.partial(init_worker, seed=opts["seed"], rank=rank, workers=opts["workers"])
    return DataLoader(
        data,
        batch_size=opts["batch"],
        sampler=sampler,
        num_workers=opts["workers"],
        worker_init_fn=init,
        drop_last=True,
    )
