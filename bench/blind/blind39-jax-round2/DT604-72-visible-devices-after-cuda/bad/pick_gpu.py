import os

import torch

BIG_ENOUGH = 40 * 2**30


def usable():
    return [i for i in range(torch.cuda.device_count()) if torch.cuda.get_device_properties(i).total_memory >= BIG_ENOUGH]


def restrict():
    """Hide the display card and other small GPUs."""
    good = usable()
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, good))
    return good
