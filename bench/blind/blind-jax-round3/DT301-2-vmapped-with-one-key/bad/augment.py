import jax
import jax.numpy as jnp


def jitter(key, image):
    shift_key, noise_key = jax.random.split(key)
    shift = jax.random.uniform(shift_key, (3,), minval=-0.2, maxval=0.2)
    return image + shift + 0.05 * jax.random.normal(noise_key, image.shape)


def batch_jitter(key, images):
    return jax.vmap(jitter, in_axes=(None, 0))(key, images)
