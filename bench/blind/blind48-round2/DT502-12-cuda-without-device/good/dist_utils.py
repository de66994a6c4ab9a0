import os

import torch
import torch.distributed as dist


def init_distributed():
    if "RANK" not in os.environ:
        return False
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(backend="nccl", init_method="env://")
    return True


def is_main():
    return not dist.is_initialized() or dist.get_rank() == 0
