import urllib.request
from pathlib import Path

import torch.distributed as dist


def fetch(url, target, is_lead):
    if is_lead and not Path(target).exists():
        urllib.request.urlretrieve(url, target)
    dist.barrier()
    return target
