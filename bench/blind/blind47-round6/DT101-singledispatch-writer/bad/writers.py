from functools import singledispatch

import torch
import torch.distributed as dist


@singledispatch
def describe(value) -> str:
    return repr(value)


@describe.register
def _(value: float) -> str:
    return f"{value:.4f}"


@describe.register
def _(value: torch.Tensor) -> str:
    total = value.detach().clone()
    dist.all_reduce(total)
    return describe((total / dist.get_world_size()).mean().item())
