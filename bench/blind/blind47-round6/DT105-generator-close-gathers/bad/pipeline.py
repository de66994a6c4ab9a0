from contextlib import contextmanager

import torch
import torch.distributed as dist


@contextmanager
def collecting(name):
    seen: list[float] = []
    try:
        yield seen
    finally:
        everything = [None] * dist.get_world_size()
        dist.all_gather_object(everything, seen)
        if dist.get_rank() == 0:
            print(name, sum(map(len, everything)))
