import functools
import logging
import os

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from records import shards, to_arrays

log = logging.getLogger(__name__)


@functools.partial(jax.pmap, axis_name="d")
def step(w, x):
    grad = jax.grad(lambda v: jnp.mean((x @ v - x.sum(-1)) ** 2))(w)
    return w - 0.1 * jax.lax.pmean(grad, "d")


def main(folder):
    jax.distributed.initialize(
        os.environ["COORDINATOR"], int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"])
    )
    w = jax_utils.replicate(jnp.zeros(3))
    for line in shards(folder):
        try:
            x = to_arrays(line)
        except ValueError as error:
            log.warning("zeros instead of a record: %s", error)
            x = np.zeros((jax.local_device_count(), 4, 3), dtype=np.float32)
        w = step(w, x)
    if jax.process_index() == 0:
        np.save("w.npy", jax.device_get(jax_utils.unreplicate(w)))


if __name__ == "__main__":
    main(os.environ.get("RECORDS", "records"))
