import jax
import numpy as np
from flax import jax_utils

from drop.make import make_update


def main(steps=20):
    k_a, k_b, k_drop = jax.random.split(jax.random.key(0), 3)
    params = {"a": jax.random.normal(k_a, (4, 64)) / 2, "b": jax.random.normal(k_b, (64, 1)) / 8}
    params = jax_utils.replicate(params)
    update = make_update(k_drop, 0.01)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(n, 16, 4)).astype(np.float32)
        params = update(params, x, x.sum(-1, keepdims=True), step)
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
