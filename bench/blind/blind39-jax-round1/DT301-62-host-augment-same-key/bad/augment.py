import jax
import jax.numpy as jnp


def random_crop(key, image, pad=4):
    height, width, _ = image.shape
    padded = jnp.pad(image, ((pad, pad), (pad, pad), (0, 0)), mode="reflect")
    dy, dx = jax.random.randint(key, (2,), 0, 2 * pad + 1)
    return jax.lax.dynamic_slice(padded, (dy, dx, 0), image.shape)


def random_flip(key, image):
    return jnp.where(jax.random.bernoulli(key), image[:, ::-1], image)


class Augmenter:
    """Draws a new crop and flip for each image of the host's batch."""

    def __init__(self, key):
        self._key = key
        self._apply = jax.jit(jax.vmap(self._one), backend="cpu")

    @staticmethod
    def _one(key, image):
        crop_key, flip_key = jax.random.split(key)
        return random_flip(flip_key, random_crop(crop_key, image))

    def __call__(self, step, images):
        keys = jax.random.split(jax.random.fold_in(self._key, step), images.shape[0])
        return self._apply(keys, images)
