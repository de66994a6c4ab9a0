import jax
import jax.numpy as jnp


def random_crop(key, image, pad=4):
    h, w, c = image.shape
    padded = jnp.pad(image, ((pad, pad), (pad, pad), (0, 0)), mode="reflect")
    top, left = jax.random.randint(key, (2,), 0, 2 * pad + 1)
    return jax.lax.dynamic_slice(padded, (top, left, 0), (h, w, c))


@jax.jit
def augment(key, images):
    return jax.vmap(random_crop)(jax.random.split(key, images.shape[0]), images)
