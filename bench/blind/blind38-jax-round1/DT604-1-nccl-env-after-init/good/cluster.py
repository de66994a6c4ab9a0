import os
from contextlib import contextmanager
from datetime import timedelta

import torch
import torch.distributed as dist
import yaml


def apply_network(profile):
    """Cluster profile -> environment of the communication library."""
    for name, value in profile.get("nccl", {}).items():
        os.environ[f"NCCL_{name.upper()}"] = str(value)
    if "interface" in profile:
        os.environ["NCCL_SOCKET_IFNAME"] = profile["interface"]


@contextmanager
def process_group(profile_path):
    with open(profile_path) as source:
        profile = yaml.safe_load(source)
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    apply_network(profile)
    dist.init_process_group("nccl", timeout=timedelta(minutes=profile.get("minutes", 10)))
    dist.barrier(device_ids=[local_rank])
    try:
        yield torch.device("cuda", local_rank)
    finally:
        dist.destroy_process_group()
