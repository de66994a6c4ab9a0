import os
from datetime import timedelta

import torch
import torch.distributed as dist


def connect(minutes: int = 10) -> None:
    dist.init_process_group("nccl", timeout=timedelta(minutes=minutes))


def handshake() -> None:
    """Fail early if a node is unreachable."""
    ones = torch.ones(1, device="cuda")
    dist.all_reduce(ones)
    if int(ones.item()) != dist.get_world_size():
        raise RuntimeError(f"{int(ones.item())} of {dist.get_world_size()} ranks answered")


def choose_device() -> torch.device:
    index = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(index)
    return torch.device("cuda", index)
