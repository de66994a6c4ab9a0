import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

BASE = {"batch_size": 32, "shuffle": True, "drop_last": True}


def dataset(n=640, dim=9):
    x = torch.randn(n, dim, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, x.sum(1, keepdim=True))


def make_loader(data, distributed, **extra):
    options = BASE | extra
    sampler = None
    if distributed:
        sampler = DistributedSampler(data, drop_last=True)
        options |= {"sampler": sampler, "shuffle": False}
    return DataLoader(data, **options), sampler
