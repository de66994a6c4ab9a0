import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class Env:
    rank: int
    world: int
    device: torch.device

    @property
    def lead(self):
        return self.rank == 0


def start() -> Env:
    cuda = torch.cuda.is_available()
    dev = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(dev)
    dist.init_process_group("nccl" if cuda else "gloo")
    return Env(dist.get_rank(), dist.get_world_size(), dev)
