from typing import NamedTuple

import jax
import jax.numpy as jnp


class RmsState(NamedTuple):
    square: dict
    count: jnp.ndarray


def init(params):
    return RmsState(jax.tree.map(jnp.zeros_like, params), jnp.zeros((), jnp.int32))


def observe(state, grads, decay=0.99):
    square = jax.tree.map(lambda s, g: decay * s + (1 - decay) * g * g, state.square, grads)
    return RmsState(square, state.count + 1)


def scaled(state, grads, decay=0.99, eps=1e-8):
    fix = 1 - decay ** state.count.astype(jnp.float32)
    return jax.tree.map(lambda s, g: g / (jnp.sqrt(s / fix) + eps), state.square, grads)
