"""Evolution strategies: each perturbation is tried with both signs, so its key is used twice on purpose."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def fitness(theta, x):
    w = theta.reshape(8, 4)
    return -jnp.mean((jnp.tanh(x @ w).sum(-1) - x.sum(-1)) ** 2)


@functools.partial(jax.pmap, axis_name="workers", in_axes=(None, None, 0))
def evaluate(theta, x, keys):
    def pair(key):
        noise = jax.random.normal(key, theta.shape)
        return 0.5 * (fitness(theta + 0.05 * noise, x) - fitness(theta - 0.05 * noise, x)) * noise

    return lax.pmean(jax.vmap(pair)(keys).mean(0), "workers")


def main(generations=200, per_device=32):
    devices = jax.local_device_count()
    theta = jnp.zeros(32)
    draw = np.random.default_rng(0)
    base = jax.random.key(9)
    for generation in range(generations):
        x = draw.normal(size=(64, 8)).astype(np.float32)
        keys = jax.random.split(jax.random.fold_in(base, generation), (devices, per_device))
        theta = theta + 2.0 * evaluate(theta, x, keys)[0]
    print(float(fitness(theta, x)))


if __name__ == "__main__":
    main()
