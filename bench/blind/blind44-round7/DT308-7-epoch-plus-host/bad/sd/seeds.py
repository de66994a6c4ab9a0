import jax
import numpy as np


def epoch_rng(seed, epoch):
    return np.random.default_rng(seed + epoch + jax.process_index())
