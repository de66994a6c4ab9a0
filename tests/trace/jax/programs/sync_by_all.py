# agreed ranks=2
import jax
from jax.experimental import multihost_utils

jax.distributed.initialize()
if jax.process_index() == 0:
    print("saved")
multihost_utils.sync_global_devices("saved")
