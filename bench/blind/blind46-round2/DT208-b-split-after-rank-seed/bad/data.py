from typing import NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, TensorDataset, random_split


class Loaders(NamedTuple):
    train: DataLoader
    val: DataLoader


def full_dataset(n=1000, dim=10):
    x = torch.randn(n, dim, generator=torch.Generator().manual_seed(77))
    return TensorDataset(x, (x.sum(1) > 0).long())


def build(batch_size, fraction=0.9) -> Loaders:
    dataset: Dataset = full_dataset()
    n = int(len(dataset) * fraction)
    train, val = random_split(dataset, [n, len(dataset) - n])
    return Loaders(
        DataLoader(train, batch_size, sampler=DistributedSampler(train, drop_last=True), drop_last=True),
        DataLoader(val, batch_size, sampler=DistributedSampler(val, shuffle=False)),
    )
