"""What the scheduler says about this process."""
import os
import subprocess
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class Placement:
    rank: int
    world_size: int
    local_rank: int
    nodes: int


def first_host() -> str:
    names = subprocess.check_output(["scontrol", "show", "hostnames", os.environ["SLURM_JOB_NODELIST"]], text=True)
    return names.split()[0]


def read_placement() -> Placement:
    env = os.environ
    return Placement(
        rank=int(env["SLURM_PROCID"]),
        world_size=int(env["SLURM_NTASKS"]),
        local_rank=int(env["SLURM_LOCALID"]),
        nodes=int(env["SLURM_NNODES"]),
    )


def join(place: Placement, port: int = 29400) -> torch.device:
    os.environ.setdefault("MASTER_ADDR", first_host())
    os.environ.setdefault("MASTER_PORT", str(port))
    device = torch.device("cuda", place.local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", rank=place.rank, world_size=place.world_size)
    return device
