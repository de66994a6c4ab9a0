import jax
import jax.numpy as jnp
from jax import lax


def coordinate_round(i, carry, axis):
    weights, x, y, valid = carry
    row, label = x[i], y[i]
    error = jnp.where(valid[i], row @ weights - label, 0.0)
    delta = lax.psum(error * row, axis)
    return weights - 0.01 * delta, x, y, valid


def fit_shard(weights, x, y, valid, axis="shards"):
    rounds = lax.pmax(valid.sum(), axis)
    body = lambda i, carry: coordinate_round(i, carry, axis)
    weights, *_ = lax.fori_loop(0, rounds, body, (weights, x, y, valid))
    return weights
