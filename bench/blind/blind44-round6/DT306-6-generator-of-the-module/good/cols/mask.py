import numpy as np

RNG = np.random.default_rng(1234)


def reseed(worker_id):
    import torch

    global RNG
    RNG = np.random.default_rng(torch.initial_seed() % 2**32)


def mask(row, share):
    hidden = RNG.random(row.shape) < share
    return np.where(hidden, 0.0, row).astype(np.float32), hidden
