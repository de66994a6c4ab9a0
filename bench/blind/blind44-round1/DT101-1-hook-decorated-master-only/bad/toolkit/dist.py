import functools
import os

import torch
import torch.distributed as dist


def setup():
    use_cuda = torch.cuda.is_available()
    local = int(os.environ.get("LOCAL_RANK", 0))
    if use_cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if use_cuda else "gloo")
    return torch.device("cuda", local) if use_cuda else torch.device("cpu")


def is_master():
    return dist.get_rank() == 0


def master_only(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        if is_master():
            return fn(*args, **kwargs)
        return None

    return inner


def sum_over_ranks(tensor):
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM)
    return tensor
