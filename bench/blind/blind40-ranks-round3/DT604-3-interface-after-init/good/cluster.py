import os
import socket

import torch
import torch.distributed as dist

SITES = {"gpu": {"NCCL_SOCKET_IFNAME": "ib0", "NCCL_IB_DISABLE": "0"}, "cloud": {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_IB_DISABLE": "1"}}


def site():
    return "gpu" if socket.gethostname().startswith("gpu") else "cloud"


def configure():
    for name, value in SITES[site()].items():
        os.environ[name] = value


def connect():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    configure()
    dist.init_process_group("nccl")
    dist.barrier(device_ids=[local_rank])
    return local_rank
