import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("pad",), backend="cpu")
def crop_and_flip(key, images, pad=4):
    n, h, w, c = images.shape
    k_crop, k_flip = jax.random.split(key)
    padded = jnp.pad(images, ((0, 0), (pad, pad), (pad, pad), (0, 0)), mode="reflect")
    offsets = jax.random.randint(k_crop, (n, 2), 0, 2 * pad + 1)

    def take(img, off):
        return jax.lax.dynamic_slice(img, (off[0], off[1], 0), (h, w, c))

    images = jax.vmap(take)(padded, offsets)
    flip = jax.random.bernoulli(k_flip, 0.5, (n, 1, 1, 1))
    return jnp.where(flip, images[:, :, ::-1], images)


class HostAugmenter:
    """Augments this host's images before they go to its devices."""

    def __init__(self, seed):
        self.key = jax.random.fold_in(jax.random.PRNGKey(seed), jax.process_index())

    def __call__(self, step, images):
        return crop_and_flip(jax.random.fold_in(self.key, step), images)
