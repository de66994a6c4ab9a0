# agreed ranks=2
import jax
import numpy as np
from jax.experimental import multihost_utils

jax.distributed.initialize()
mine = np.float32(jax.process_index())
everyone = multihost_utils.process_allgather(mine)
assert everyone.shape == (jax.process_count(),), everyone
seed = multihost_utils.broadcast_one_to_all(np.int32(40 + jax.process_index()))
assert int(seed) == 40
tree = multihost_utils.process_allgather({"a": np.ones(2) * jax.process_index(), "b": (1.0,)}, tiled=True)
assert tree["a"].tolist() == [0.0, 0.0, 1.0, 1.0]
if everyone.max() > 0:
    multihost_utils.sync_global_devices("all of us stop")
