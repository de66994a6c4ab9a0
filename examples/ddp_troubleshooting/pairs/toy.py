"""What every pair shares: a process group, a small model and a sharded loader of a linear problem."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

WIDTH = 8


def start() -> tuple[int, torch.device]:
    """Join the job: this process's rank and device."""
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl")
    else:
        device = torch.device("cpu")
        dist.init_process_group("gloo")
    torch.manual_seed(0)
    return dist.get_rank(), device


def dataset(samples: int = 256) -> TensorDataset:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(samples, WIDTH, generator=generator)
    return TensorDataset(inputs, inputs.sum(dim=1, keepdim=True) * 0.5)


def sharded_loader(samples: int = 256, batch_size: int = 16) -> tuple[DataLoader, DistributedSampler]:
    data = dataset(samples)
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True), sampler


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(WIDTH, 16), nn.Tanh(), nn.Linear(16, 1))
