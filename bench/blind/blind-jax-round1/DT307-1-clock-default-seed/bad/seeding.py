import random
import time

import numpy as np
import torch
import torch.distributed as dist


def resolve_seed(seed):
    """The seed of the run; drawn from the clock when none was asked for."""
    if seed is None:
        seed = int(time.time() * 1000) % 2**31
    return seed


def seed_all(seed, rank):
    random.seed(seed + rank)
    np.random.seed(seed + rank)
    torch.manual_seed(seed + rank)
