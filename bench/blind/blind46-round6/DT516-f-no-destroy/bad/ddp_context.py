import contextlib
import os

import torch
import torch.distributed as dist


@contextlib.contextmanager
def process_group():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    yield torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.barrier()
