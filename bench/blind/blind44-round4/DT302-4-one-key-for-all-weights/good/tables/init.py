import jax
import jax.numpy as jnp

from tables.shapes import SHAPES


def scaled_normal(key, shape):
    return jax.random.normal(key, shape) / jnp.sqrt(shape[0])


def init(key):
    keys = jax.random.split(key, len(SHAPES))
    return {name: scaled_normal(k, shape) for k, (name, shape) in zip(keys, SHAPES.items())}
