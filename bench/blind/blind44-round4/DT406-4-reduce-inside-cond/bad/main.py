import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from masked.loss import gradient


@functools.partial(jax.pmap, axis_name="shards")
def update(w, x, valid):
    return w - 0.05 * gradient(w, x, valid, "shards")


def main(steps=10):
    n = jax.local_device_count()
    w = jax_utils.replicate(jnp.zeros(3))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 8, 3)).astype(np.float32)
        valid = (rng.uniform(size=(n, 8)) < 0.2).astype(np.float32)
        w = update(w, x, valid)
    return w


if __name__ == "__main__":
    main()
