import jax
import numpy as np
from jax.experimental import multihost_utils


def export(params, path):
    host = multihost_utils.process_allgather(params, tiled=True)
    if jax.process_index() == 0:
        np.savez(path, **host)
