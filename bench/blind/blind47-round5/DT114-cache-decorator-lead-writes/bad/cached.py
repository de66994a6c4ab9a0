import functools
from pathlib import Path

import torch
import torch.distributed as dist


def cached_on_disk(path: str):
    target = Path(path)

    def around(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            if dist.get_rank() == 0:
                torch.save(fn(*args, **kwargs), target)
            return torch.load(target, weights_only=True)

        return inner

    return around
