import functools
import os

import torch
import torch.distributed as dist


def first_on_main(function):
    """Rank 0 goes first (and fills the cache); the others follow when it is through."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        main = int(os.environ.get("RANK", 0)) == 0
        if not main:
            dist.barrier()
        result = function(*args, **kwargs)
        if main:
            dist.barrier()
        return result

    return wrapper


def start():
    cuda = torch.cuda.is_available()
    local = int(os.environ.get("LOCAL_RANK", 0))
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local) if cuda else torch.device("cpu")


def stop():
    dist.destroy_process_group()
