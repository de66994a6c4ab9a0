from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.pmap, axis_name="devices")
def step(weights, rows, key):
    kept = jax.random.bernoulli(key, 0.9, rows.shape)
    gradient = jax.grad(lambda weights: jnp.mean(((rows * kept) @ weights) ** 2))(weights)
    return weights - 0.1 * jax.lax.pmean(gradient, "devices")


def bad(carried):
    count = jax.local_device_count()
    weights = jax.device_put_replicated(jnp.ones(3), jax.local_devices())
    key = jax.random.key(0)
    for rows in jnp.ones((10, count, 8, 3)):
        key, own = jax.random.split(key)
        same = carried(own, key)
        weights = step(weights, rows, jnp.stack([same] * count))
    print(weights)


def good(carried):
    count = jax.local_device_count()
    weights = jax.device_put_replicated(jnp.ones(3), jax.local_devices())
    key = jax.random.key(0)
    for rows in jnp.ones((10, count, 8, 3)):
        key, own = jax.random.split(key)
        keys = carried(jax.random.split(own, count), own)
        weights = step(weights, rows, keys)
    print(weights)
