import atexit
import os

import torch
import torch.distributed as dist


def start():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def finish():
    """Nobody leaves before the last one has written its files."""
    dist.barrier()
    dist.destroy_process_group()
