import numpy as np

RNG = np.random.default_rng()


def speckle(x, scale):
    return x * (1.0 + scale * RNG.standard_normal(x.shape))


def clip(x):
    return np.clip(x, 0.0, 1.0).astype(np.float32)
