import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def synthetic(rows, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(rows, 14, generator=g)
    return TensorDataset(x, (x > 0.5).float().sum(1))


def in_parallel():
    return dist.is_available() and dist.is_initialized()


def make_loader(dataset, batch_size, train=True):
    sampler = DistributedSampler(dataset, shuffle=train, drop_last=train) if in_parallel() else None
    return DataLoader(
        dataset, batch_size=batch_size, sampler=sampler, shuffle=train and sampler is None, drop_last=train
    )
