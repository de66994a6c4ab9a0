"""functools.singledispatch moves and reduces nested structures."""
import functools
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Sample(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor
    weight: torch.Tensor


@functools.singledispatch
def to_device(item, device):
    return item


@to_device.register
def _(item: torch.Tensor, device):
    return item.to(device, non_blocking=True)


@to_device.register
def _(item: Mapping, device):
    return {k: to_device(v, device) for k, v in item.items()}


@to_device.register
def _(item: tuple, device):
    values = [to_device(v, device) for v in item]
    return type(item)(*values) if hasattr(item, "_fields") else tuple(values)


@functools.singledispatch
def mean_over_ranks(value):
    raise TypeError(type(value))


@mean_over_ranks.register
def _(value: float):
    t = torch.tensor(value, device="cuda")
    dist.all_reduce(t)
    return t.item() / dist.get_world_size()


@mean_over_ranks.register
def _(value: dict):
    return {k: mean_over_ranks(value[k]) for k in sorted(value)}


class Data(Dataset):
    def __init__(self, n):
        self.g = torch.randn(n, 5, generator=torch.Generator().manual_seed(4))

    def __len__(self):
        return len(self.g)

    def __getitem__(self, i):
        row = self.g[i]
        return Sample(row[:3], row[3:4], row[4].abs())


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    model = DistributedDataParallel(nn.Linear(3, 1).to(device), device_ids=[device.index])
    data = Data(1000)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 25, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        sums = {"loss": 0.0, "weight": 0.0}
        for sample in loader:
            sample = to_device(sample, device)
            errors = (model(sample.x) - sample.y).square().squeeze(-1) * sample.weight
            optimizer.zero_grad()
            errors.mean().backward()
            optimizer.step()
            sums["loss"] += errors.mean().item()
            sums["weight"] += sample.weight.mean().item()
        shown = mean_over_ranks({k: v / len(loader) for k, v in sums.items()})
        if dist.get_rank() == 0:
            print(epoch, shown)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
