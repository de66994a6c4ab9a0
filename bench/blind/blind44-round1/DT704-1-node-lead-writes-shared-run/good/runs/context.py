import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Context:
    rank: int
    local_rank: int
    device: torch.device
    run_dir: str

    @property
    def node_lead(self):
        return self.local_rank == 0

    @property
    def lead(self):
        return self.rank == 0


def open_context(run_dir):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    return Context(dist.get_rank(), local, torch.device("cuda", local), run_dir)
