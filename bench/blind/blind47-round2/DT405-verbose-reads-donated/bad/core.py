from typing import Any

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Model:
    weights: Any
    momentum: Any
    ticks: jax.Array


def make(dim):
    return Model(weights=jnp.ones((dim, dim)), momentum=jnp.zeros((dim, dim)), ticks=jnp.zeros((), jnp.int32))


def advance(model, batch):
    grad = jax.grad(lambda w: jnp.mean(jnp.square(batch @ w)))(model.weights)
    momentum = 0.9 * model.momentum + grad
    return model.replace(weights=model.weights - 0.1 * momentum, momentum=momentum, ticks=model.ticks + 1)


advance_inplace = jax.jit(advance, donate_argnames=("model",))
