import os
from typing import NamedTuple

import torch
import torch.distributed as dist


class Job(NamedTuple):
    rank: int
    world: int
    device: torch.device


def join(seed: int) -> Job:
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    job = Job(dist.get_rank(), dist.get_world_size(), device)
    torch.manual_seed(seed + job.rank)
    return job
