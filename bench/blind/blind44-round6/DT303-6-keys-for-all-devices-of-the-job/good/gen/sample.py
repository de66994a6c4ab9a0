import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.pmap, axis_name="d")
def sample(params, key):
    z = jax.random.normal(key, (8, 4))
    return jnp.tanh(z @ params["w"])


class Sampler:
    def __init__(self, params, seed):
        self.params = params
        self.key = jax.random.fold_in(jax.random.key(seed), jax.process_index())

    def __call__(self):
        self.key, sub = jax.random.split(self.key)
        keys = jax.random.split(sub, jax.local_device_count())
        return sample(self.params, keys)
