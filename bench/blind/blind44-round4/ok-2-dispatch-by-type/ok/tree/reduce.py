import functools

import torch
import torch.distributed as dist


@functools.singledispatch
def reduced(value):
    raise TypeError(type(value))


@reduced.register
def _(value: torch.Tensor):
    value = value.clone()
    dist.all_reduce(value)
    return value / dist.get_world_size()


@reduced.register
def _(value: float):
    return reduced(torch.tensor(value)).item()


@reduced.register
def _(value: dict):
    return {key: reduced(value[key]) for key in sorted(value)}


@reduced.register
def _(value: list):
    return [reduced(one) for one in value]
