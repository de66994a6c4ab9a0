import numpy as np

RNG = np.random.default_rng(1234)


def mask(row, share):
    hidden = RNG.random(row.shape) < share
    return np.where(hidden, 0.0, row).astype(np.float32), hidden
