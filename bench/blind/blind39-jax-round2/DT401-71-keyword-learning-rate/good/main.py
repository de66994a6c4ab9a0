import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from step import sgd_step


def create(key, sizes):
    params = []
    for k, (a, b) in zip(jax.random.split(key, len(sizes) - 1), zip(sizes, sizes[1:])):
        params.append((jax.random.normal(k, (a, b)) / np.sqrt(a), jnp.zeros(b)))
    return params


def warmup(step, peak=0.1, over=50):
    return peak * min(1.0, (step + 1) / over)


def main(steps=200, per_core=64):
    cores = jax.local_device_count()
    params = create(jax.random.key(4), (10, 64, 64, 10))
    momentum = jax_utils.replicate(jax.tree.map(jnp.zeros_like, params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(4)
    for step in range(steps):
        x = rng.normal(size=(cores, per_core, 10)).astype(np.float32)
        batch = {"x": x, "y": np.sin(x)}
        params, momentum, loss = sgd_step(params, momentum, batch, lr=jnp.full(cores, warmup(step)))
        if step % 50 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
