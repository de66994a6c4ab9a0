"""A regression problem that one small network can learn: y = sin of a projection."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def sharded_loader(rank: int, world_size: int, batch_size: int = 16) -> tuple[DataLoader, DistributedSampler]:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(1024, 8, generator=generator)
    targets = torch.sin(inputs @ torch.randn(8, 1, generator=generator) * 0.4)
    dataset = TensorDataset(inputs, targets)
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, shuffle=True, drop_last=True)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=True), sampler


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1))
