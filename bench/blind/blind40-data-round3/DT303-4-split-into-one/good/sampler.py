import jax
import jax.numpy as jnp


class NoiseSource:
    def __init__(self, seed):
        self.key = jax.random.key(seed)
        self.turn = 0

    def __call__(self, shape):
        self.turn += 1
        key = jax.random.fold_in(self.key, self.turn)
        (sub,) = jax.random.split(key, 1)
        return jax.random.normal(sub, shape)


def spread(noise, devices):
    return jnp.reshape(noise, (devices, -1, noise.shape[-1]))
