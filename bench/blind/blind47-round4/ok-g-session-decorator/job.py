import functools
import os

import torch
import torch.distributed as dist


def distributed(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        local = int(os.environ.get("LOCAL_RANK", "0"))
        cuda = torch.cuda.is_available()
        if cuda:
            torch.cuda.set_device(local)
        dist.init_process_group("nccl" if cuda else "gloo")
        try:
            return fn(torch.device("cuda", local) if cuda else torch.device("cpu"), *args, **kwargs)
        finally:
            dist.destroy_process_group()

    return inner
