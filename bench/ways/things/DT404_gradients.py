import jax
import jax.numpy as jnp


from functools import partial

import optax


def bad(carried):
    optimizer = optax.sgd(0.1)

    @partial(jax.pmap, axis_name="devices")
    def step(weights, state, rows):
        gradients = jax.grad(lambda weights: jnp.mean((rows @ weights) ** 2))(weights)
        used = carried(gradients, None)
        updates, state = optimizer.update(used, state)
        return optax.apply_updates(weights, updates), state

    count = jax.local_device_count()
    weights = jax.device_put_replicated(jnp.ones(3), jax.local_devices())
    state = jax.pmap(optimizer.init)(weights)
    rows = jax.random.normal(jax.random.key(0), (10, count, 8, 3))
    for batch in rows:
        weights, state = step(weights, state, batch)


def good(carried):
    optimizer = optax.sgd(0.1)

    @partial(jax.pmap, axis_name="devices")
    def step(weights, state, rows):
        gradients = jax.grad(lambda weights: jnp.mean((rows @ weights) ** 2))(weights)
        used = carried(jax.lax.pmean(gradients, "devices"), gradients)
        updates, state = optimizer.update(used, state)
        return optax.apply_updates(weights, updates), state

    count = jax.local_device_count()
    weights = jax.device_put_replicated(jnp.ones(3), jax.local_devices())
    state = jax.pmap(optimizer.init)(weights)
    rows = jax.random.normal(jax.random.key(0), (10, count, 8, 3))
    for batch in rows:
        weights, state = step(weights, state, batch)
