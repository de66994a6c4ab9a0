import jax
import jax.numpy as jnp


def one_view(key, image):
    crop, jitter, grey = jax.random.split(key, 3)
    offset = jax.random.randint(crop, (2,), 0, 5)
    image = jax.lax.dynamic_slice(image, (offset[0], offset[1], 0), (28, 28, 3))
    image = image * jax.random.uniform(jitter, (3,), minval=0.6, maxval=1.4)
    return jnp.where(jax.random.bernoulli(grey, 0.2), image.mean(-1, keepdims=True), image)


def two_views(key, images):
    left, right = jax.random.split(key)
    view = lambda k: jax.vmap(one_view)(jax.random.split(k, images.shape[0]), images)
    return view(left), view(right)
