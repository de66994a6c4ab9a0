import functools

import jax
import jax.numpy as jnp


def random_flip(key, image):
    return jnp.where(jax.random.bernoulli(key), image[:, ::-1], image)


def random_shift(key, image, pad=2):
    padded = jnp.pad(image, ((pad, pad), (pad, pad), (0, 0)), mode="edge")
    dy, dx = jax.random.randint(key, (2,), 0, 2 * pad + 1)
    return jax.lax.dynamic_slice(padded, (dy, dx, 0), image.shape)


def _one(key, image):
    flip_key, shift_key = jax.random.split(key)
    return random_shift(shift_key, random_flip(flip_key, image))


@functools.partial(jax.jit, backend="cpu")
def augment_batch(key, images):
    keys = jax.random.split(key, images.shape[0])
    return jax.vmap(_one)(keys, images)
