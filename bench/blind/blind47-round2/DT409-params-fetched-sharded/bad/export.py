import jax
import numpy as np
from jax.experimental import multihost_utils


def export(params, path):
    host = jax.device_get(params)
    if jax.process_index() == 0:
        np.savez(path, **host)
