from typing import Protocol

import jax
import jax.numpy as jnp
import optax


class Strategy(Protocol):
    def __call__(self, grads, axis: str): ...


class Plain:
    def __call__(self, grads, axis):
        return jax.lax.pmean(grads, axis)


class Clipped:
    def __init__(self, limit):
        self.limit = limit

    def __call__(self, grads, axis):
        grads = jax.lax.pmean(grads, axis)
        norm = optax.global_norm(grads)
        return jax.tree.map(lambda g: g * jnp.minimum(1.0, self.limit / norm), grads)
