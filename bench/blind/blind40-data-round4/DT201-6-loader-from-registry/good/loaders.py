import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from registry import register


def table():
    x = torch.randn(4000, 11, generator=torch.Generator().manual_seed(1))
    return TensorDataset(x, x[:, :3].argmax(1))


@register("train")
def train(batch_size, rank, world):
    data = table()
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)


@register("validate")
def validate(batch_size, rank, world):
    data = table()
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=False)
    return DataLoader(data, batch_size=batch_size, sampler=sampler)
