import time

import jax
import numpy as np
from jax.experimental import multihost_utils


def fresh_seed():
    """A seed from the first host's clock, the same everywhere."""
    mine = np.asarray(int(time.time()) % (2**31), dtype=np.int32)
    return int(multihost_utils.broadcast_one_to_all(mine))
