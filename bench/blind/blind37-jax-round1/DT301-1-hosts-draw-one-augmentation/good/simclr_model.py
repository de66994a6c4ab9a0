import haiku as hk
import jax
import jax.numpy as jnp


class Encoder(hk.Module):
    def __init__(self, width, name=None):
        super().__init__(name=name)
        self._width = width

    def __call__(self, x):
        x = hk.Linear(self._width)(x)
        x = hk.LayerNorm(axis=-1, create_scale=True, create_offset=True)(x)
        return hk.Linear(self._width)(jax.nn.gelu(x))


def projection(x):
    z = Encoder(128)(x)
    return z / jnp.linalg.norm(z, axis=-1, keepdims=True)


network = hk.without_apply_rng(hk.transform(projection))
