import functools

import jax
import jax.numpy as jnp


def objective(params, x):
    return jnp.mean(jnp.square(x @ params["w"] - jnp.sin(x).sum(-1))) + 1e-4 * jnp.sum(params["w"] ** 2)


@functools.partial(jax.jit, donate_argnums=(0,))
def descend(params, x, lr):
    grads = jax.grad(objective)(params, x)
    return jax.tree.map(lambda p, g: p - lr * g, params, grads)


@jax.jit
def distance(a, b):
    return jnp.sqrt(sum(jnp.sum((u - v) ** 2) for u, v in zip(jax.tree.leaves(a), jax.tree.leaves(b))))
