import jax
import numpy as np
from jax.experimental import multihost_utils


def agree_on_seed(requested):
    """Host 0 names the seed; the others take it."""
    seed = np.asarray(requested if requested is not None else 0, dtype=np.int64)
    if jax.process_index() == 0:
        return int(multihost_utils.broadcast_one_to_all(seed))
    return int(multihost_utils.process_allgather(seed)[0])
