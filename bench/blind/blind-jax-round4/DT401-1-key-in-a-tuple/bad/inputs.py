from typing import NamedTuple

import jax
import numpy as np


class Inputs(NamedTuple):
    x: np.ndarray
    y: np.ndarray
    key: jax.Array


def make(rng, key, each):
    n = jax.local_device_count()
    x = rng.normal(size=(n, each, 7)).astype(np.float32)
    return Inputs(x, x.sum(-1), key)
