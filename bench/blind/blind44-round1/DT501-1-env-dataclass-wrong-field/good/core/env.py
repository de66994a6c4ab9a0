import dataclasses
import os

import torch
import torch.distributed as dist


@dataclasses.dataclass
class ProcessInfo:
    rank: int
    local_rank: int
    world_size: int

    @classmethod
    def from_environ(cls):
        get = lambda key: int(os.environ[key])
        return cls(get("RANK"), get("LOCAL_RANK"), get("WORLD_SIZE"))

    @property
    def main(self):
        return self.rank == 0

    def device(self):
        return torch.device(f"cuda:{self.local_rank}")


def open_group(info):
    torch.cuda.set_device(info.device())
    dist.init_process_group("nccl", rank=info.rank, world_size=info.world_size)
