from typing import NamedTuple

import jax
import jax.numpy as jnp


class Dense(NamedTuple):
    rows: int
    columns: int

    def init(self, key):
        return jax.random.normal(key, (self.rows, self.columns)) / jnp.sqrt(self.rows)


LAYERS = {"encode": Dense(8, 32), "decode": Dense(32, 8)}


def init(key):
    key, sub = jax.random.split(key)
    params = {}
    for name, layer in LAYERS.items():
        params[name] = layer.init(sub)
    return params, key
