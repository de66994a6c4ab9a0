import functools

import torch
import torch.distributed as dist


@functools.lru_cache(maxsize=None)
def total_memory():
    """Memory of all ranks' hosts in GiB."""
    with open("/proc/meminfo") as f:
        kib = float(f.readline().split()[1])
    amount = torch.tensor(kib / 2**20)
    dist.all_reduce(amount)
    return amount.item()
