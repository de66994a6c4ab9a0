import random

import numpy as np
import torch


def seed_for_init(seed):
    torch.manual_seed(seed)


def seed_for_noise(seed, rank, world_size):
    mixed = np.random.SeedSequence([seed, rank, world_size]).generate_state(3)
    random.seed(int(mixed[0]))
    np.random.seed(int(mixed[1]))
    torch.manual_seed(int(mixed[2]))
