import numpy as np


def speckle(x, scale):
    return x * (1.0 + scale * np.random.standard_normal(x.shape))


def clip(x):
    return np.clip(x, 0.0, 1.0).astype(np.float32)
