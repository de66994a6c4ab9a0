import os

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

import settings


def step(w, x):
    grad = jax.grad(lambda v: jnp.mean((x @ v - x[:, 0]) ** 2))(w)
    return w - settings.LR * jax.lax.pmean(grad, "p")


def main(steps=10):
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR"],
        num_processes=int(os.environ["NUM_PROCESSES"]),
        process_id=int(os.environ["PROCESS_ID"]),
    )
    p_step = jax.pmap(step, axis_name="p")
    n = jax.local_device_count()
    rng = np.random.default_rng([0, jax.process_index()])
    w = jax_utils.replicate(jnp.zeros((3,)))
    for _ in range(steps):
        x = rng.normal(size=(settings.local_batch(), 3)).astype(np.float32)
        w = p_step(w, x.reshape(n, -1, 3))
    if jax.process_index() == 0:
        print(np.asarray(w[0]))


if __name__ == "__main__":
    main()
