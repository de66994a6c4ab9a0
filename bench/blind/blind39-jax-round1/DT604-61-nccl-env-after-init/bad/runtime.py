import os

import torch
import torch.distributed as dist


def start(local_rank):
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    dist.barrier(device_ids=[local_rank])


def apply_network_settings(settings):
    for name, value in settings.items():
        os.environ[name] = str(value)
