import datetime
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class Process:
    rank: int
    local_rank: int
    world_size: int

    @classmethod
    def from_env(cls):
        return cls(*(int(os.environ[name]) for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE")))

    @property
    def device(self):
        return torch.device("cuda", self.rank)


def start():
    process = Process.from_env()
    torch.cuda.set_device(process.device)
    dist.init_process_group("nccl", timeout=datetime.timedelta(minutes=10))
    return process
