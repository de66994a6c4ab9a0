import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.pmap, axis_name="d", donate_argnums=(0,))
def train(w, x, y, mask):
    def total(w):
        return jnp.sum(mask * (x @ w - y) ** 2)

    grad, count = jax.lax.psum((jax.grad(total)(w), mask.sum()), "d")
    return w - 0.1 * grad / count


@functools.partial(jax.pmap, axis_name="d")
def evaluate(w, x, y, mask):
    return jax.lax.psum((jnp.sum(mask * jnp.abs(x @ w - y)), mask.sum()), "d")
