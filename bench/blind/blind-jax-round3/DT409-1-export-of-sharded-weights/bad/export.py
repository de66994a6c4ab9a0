import jax
import numpy as np
from flax import serialization
from jax.experimental import multihost_utils


def export(path, params):
    """Writes all weights into one file."""
    if jax.process_index() == 0:
        host = jax.device_get(params)
        with open(path, "wb") as f:
            f.write(serialization.to_bytes(host))
