import jax
import jax.numpy as jnp


def random_flip(key, images):
    flip = jax.random.bernoulli(key, 0.5, (images.shape[0], 1, 1, 1))
    return jnp.where(flip, images[:, :, ::-1], images)


def random_shift(key, images, most=2):
    d = jax.random.randint(key, (2,), -most, most + 1)
    return jnp.roll(images, d, axis=(1, 2))


class Augmenter:
    def __init__(self, seed):
        self.key = jax.random.PRNGKey(seed)

    def __call__(self, images):
        self.key, k_flip, k_shift = jax.random.split(self.key, 3)
        return random_shift(k_shift, random_flip(k_flip, images))
