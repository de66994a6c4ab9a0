import os

import torch

BIG_ENOUGH = 40 * 2**30


def usable():
    return [i for i in range(torch.cuda.device_count()) if torch.cuda.get_device_properties(i).total_memory >= BIG_ENOUGH]


def restrict():
    """The display card and other small GPUs are left out: which index is this process's device?"""
    return usable()
