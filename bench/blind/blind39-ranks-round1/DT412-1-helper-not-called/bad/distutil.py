import os

import torch
import torch.distributed as dist


def setup():
    cuda = torch.cuda.is_available()
    index = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(index)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", index) if cuda else torch.device("cpu")


def is_main():
    return not dist.is_initialized() or dist.get_rank() == 0
