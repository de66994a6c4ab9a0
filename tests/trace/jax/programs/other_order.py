# mismatch other_order.py:8 ranks=2
import jax
import numpy as np
from jax.experimental import multihost_utils

jax.distributed.initialize()
if jax.process_index() == 0:
    multihost_utils.sync_global_devices("ready")
    seed = multihost_utils.broadcast_one_to_all(np.int32(3))
else:
    seed = multihost_utils.broadcast_one_to_all(np.int32(3))
    multihost_utils.sync_global_devices("ready")
