import jax
import numpy as np
from flax import jax_utils

from part.mapped import mapped


def main(steps=5):
    a, b = jax.random.split(jax.random.key(0))
    params = jax_utils.replicate({"a": jax.random.normal(a, (4, 8)), "b": jax.random.normal(b, (8, 1))})
    run = mapped({"lr": 0.01, "scale": 0.9})
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 8, 4)).astype(np.float32)
        params = run(params, x, True)
    return params


if __name__ == "__main__":
    main()
