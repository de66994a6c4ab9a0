import jax
import numpy as np
from flax import serialization
from jax.experimental import multihost_utils


def export(path, params):
    """Writes all weights into one file."""
    host = multihost_utils.process_allgather(params, tiled=True)
    if jax.process_index() == 0:
        with open(path, "wb") as f:
            f.write(serialization.to_bytes(host))
