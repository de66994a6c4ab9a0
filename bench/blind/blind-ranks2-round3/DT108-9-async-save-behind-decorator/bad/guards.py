import functools

import torch.distributed as dist


def rank_zero(function):
    """Runs the function on rank 0 and gives None elsewhere."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)
        return None

    return wrapper
