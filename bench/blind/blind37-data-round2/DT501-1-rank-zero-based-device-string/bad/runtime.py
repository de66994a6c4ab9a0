import os

import torch
import torch.distributed as dist


class Runtime:
    def __init__(self, backend="nccl"):
        dist.init_process_group(backend)
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.device = torch.device(f"cuda:{self.rank}")
        torch.cuda.set_device(self.device)

    @property
    def chief(self):
        return self.rank == 0

    def mean(self, value):
        value = value.detach().clone()
        dist.all_reduce(value, op=dist.ReduceOp.AVG)
        return value.item()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        dist.destroy_process_group()
        return False
