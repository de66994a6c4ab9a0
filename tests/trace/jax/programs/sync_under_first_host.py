# deadlock sync_under_first_host.py:13 ranks=2
import jax
from jax.experimental import multihost_utils


def save():
    print("saved")


jax.distributed.initialize()
if jax.process_index() == 0:
    save()
    multihost_utils.sync_global_devices("saved")
