import enum
import random

import numpy as np
import torch


class Purpose(enum.IntEnum):
    MODEL = 0
    AUGMENT = 1


def seed_for(purpose: Purpose, base: int, rank: int) -> int:
    match purpose:
        case Purpose.MODEL:
            return base
        case Purpose.AUGMENT:
            return base * 10_000 + 1 + rank


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
