import jax
from jax import lax


def device_key(key, *axes):
    for axis in axes:
        key = jax.random.fold_in(key, lax.axis_index(axis))
    return key


def corrupt(key, x, rate):
    k_mask, k_value = jax.random.split(key)
    mask = jax.random.bernoulli(k_mask, rate, x.shape)
    return jax.numpy.where(mask, jax.random.normal(k_value, x.shape), x), mask
