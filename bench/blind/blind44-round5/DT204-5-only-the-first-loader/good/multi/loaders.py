from typing import NamedTuple

from torch.utils.data import DataLoader, DistributedSampler


class Task(NamedTuple):
    name: str
    loader: DataLoader
    sampler: DistributedSampler


def task(name, dataset, batch):
    sampler = DistributedSampler(dataset, drop_last=True)
    return Task(name, DataLoader(dataset, batch, sampler=sampler, drop_last=True), sampler)
