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


def is_main():
    return not dist.is_initialized() or dist.get_rank() == 0


def mean(value):
    value = value.clone()
    dist.all_reduce(value)
    return value / dist.get_world_size()
