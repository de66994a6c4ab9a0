import random

import numpy as np
import torch


def seed_all(seed, rank=0):
    value = seed + rank
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)
