from typing import Protocol, runtime_checkable

import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset


@runtime_checkable
class Epochal(Protocol):
    def set_epoch(self, epoch: int) -> None: ...


def build(n=512, dim=8, batch_size=16):
    x = torch.randn(n, dim, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    batches = BatchSampler(DistributedSampler(data, drop_last=True), batch_size, drop_last=True)
    return DataLoader(data, batch_sampler=batches)


def announce(loader, epoch):
    for candidate in (loader.sampler, getattr(loader.batch_sampler, "sampler", None)):
        if isinstance(candidate, Epochal):
            candidate.set_epoch(epoch)
