"""Evolution strategies: a population over devices with pmap, antithetic noise by design (the same key, both signs)."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def fitness(theta):
    return -jnp.sum((theta - 0.5) ** 2)


@partial(jax.pmap, axis_name="pop", in_axes=(None, 0), out_axes=None)
def es_step(theta, key):
    eps = jax.random.normal(key, (16, theta.size))
    eps = jnp.concatenate([eps, -eps])
    scores = jax.vmap(lambda e: fitness(theta + 0.1 * e))(eps)
    mean = jax.lax.pmean(scores.mean(), "pop")
    std = jnp.sqrt(jax.lax.pmean(((scores - mean) ** 2).mean(), "pop")) + 1e-6
    grad = ((scores - mean) / std) @ eps / len(eps)
    return theta + 0.05 * grad, mean


def train(steps=50, seed=0):
    key = jax.random.PRNGKey(seed)
    theta = jnp.zeros((10,))
    history = []
    for _ in range(steps):
        key, *device_keys = jax.random.split(key, jax.local_device_count() + 1)
        theta, mean = es_step(theta, jnp.stack(device_keys))
        history.append(float(mean))
    return np.array(history)


if __name__ == "__main__":
    print(train()[-1])
