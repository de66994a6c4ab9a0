import zlib

import torch
from torch.utils.data import random_split


def named_split(dataset, experiment, fraction):
    """The same experiment always gets the same split."""
    seed = zlib.crc32(experiment.encode())
    generator = torch.Generator().manual_seed(seed)
    held_out = int(fraction * len(dataset))
    return random_split(dataset, [len(dataset) - held_out, held_out], generator=generator)
