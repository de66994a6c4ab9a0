from typing import Callable, Iterable

import torch
import torch.distributed as dist


def each(fn: Callable[[torch.Tensor], None], params: Iterable[torch.nn.Parameter]):
    for p in params:
        fn(p)


def average_(t: torch.Tensor):
    world = dist.get_world_size()
    dist.all_reduce(t)
    t /= world


def average_parameters(module):
    each(average_, module.parameters())
