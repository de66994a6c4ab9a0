import random

import numpy as np
import torch


def seed_everything(seed, *, offset=0):
    seed = seed + offset
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
