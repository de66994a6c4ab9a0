import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Env:
    rank: int
    local_rank: int
    world: int

    @classmethod
    def start(cls):
        env = cls(int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"]))
        torch.cuda.set_device(env.device)
        dist.init_process_group("nccl")
        return env

    @property
    def device(self):
        return torch.device("cuda", self.local_rank)

    @property
    def lead(self):
        return self.rank == 0
