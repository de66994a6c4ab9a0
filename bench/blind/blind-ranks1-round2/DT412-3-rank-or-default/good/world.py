import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class World:
    rank: int
    size: int
    device: torch.device

    @classmethod
    def join(cls):
        cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        return cls(dist.get_rank(), dist.get_world_size(), device)

    def seed_for(self, base):
        return 1000 * base + self.rank
