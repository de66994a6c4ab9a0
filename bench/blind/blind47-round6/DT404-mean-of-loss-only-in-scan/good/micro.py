import functools

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.mean((x @ w - x.sum(-1)) ** 2)


def accumulate(w, xs):
    def one(total, x):
        value, grad = jax.value_and_grad(loss)(w, x)
        return (total[0] + value, total[1] + grad), None

    (value, grad), _ = jax.lax.scan(one, (jnp.zeros(()), jnp.zeros_like(w)), xs)
    return value / len(xs), grad / len(xs)


@functools.partial(jax.pmap, axis_name="replica")
def step(w, xs):
    value, grad = accumulate(w, xs)
    value, grad = jax.lax.pmean((value, grad), "replica")
    return w - 0.1 * grad, value
