from typing import NamedTuple

import jax
import jax.numpy as jnp


class Moments(NamedTuple):
    count: jax.Array
    mean: jax.Array
    var: jax.Array


def fresh(size):
    return Moments(jnp.asarray(1e-3), jnp.zeros((size,)), jnp.ones((size,)))


def merge(old, batch_mean, batch_var, n):
    total = old.count + n
    delta = batch_mean - old.mean
    mean = old.mean + delta * n / total
    m2 = old.var * old.count + batch_var * n + delta**2 * old.count * n / total
    return Moments(total, mean, m2 / total)


def observe(old, x, axis_name=None):
    mean, second = x.mean(0), (x**2).mean(0)
    n = jnp.asarray(x.shape[0], jnp.float32)
    if axis_name is not None:
        mean, second = jax.lax.pmean((mean, second), axis_name)
        n = jax.lax.psum(n, axis_name)
    return merge(old, mean, second - mean**2, n)


def apply(moments, x):
    return (x - moments.mean) / jnp.sqrt(moments.var + 1e-6)
