# deadlock own_decision.py:9 ranks=2
import jax
import numpy as np
from jax.experimental import multihost_utils

jax.distributed.initialize()
loss = np.float32(jax.process_index())
while loss < 1:
    loss = multihost_utils.process_allgather(loss).mean() + 1
