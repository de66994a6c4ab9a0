import dataclasses
import os

import torch
import torch.distributed as dist


@dataclasses.dataclass
class Env:
    rank: int
    local_rank: int
    world_size: int
    device: torch.device


def start():
    """torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint $HEAD train.py"""
    rank = int(os.environ["RANK"])
    local_rank = int(os.environ["LOCAL_RANK"])
    world_size = int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    return Env(rank, local_rank, world_size, device)
