import jax
import jax.numpy as jnp

from tables.shapes import SHAPES


def scaled_normal(key, shape):
    return jax.random.normal(key, shape) / jnp.sqrt(shape[0])


def init(key):
    return {name: scaled_normal(key, shape) for name, shape in SHAPES.items()}
