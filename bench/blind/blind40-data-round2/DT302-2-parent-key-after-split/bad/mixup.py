import jax
import jax.numpy as jnp


def mixup(key, images, labels, alpha=0.2):
    k_lambda, k_order = jax.random.split(key)
    lam = jax.random.beta(k_lambda, alpha, alpha)
    order = jax.random.permutation(key, images.shape[0])
    images = lam * images + (1 - lam) * images[order]
    return images, lam * labels + (1 - lam) * labels[order]


def jitter(key, images, amount=0.1):
    k_gain, k_bias = jax.random.split(key)
    shape = (images.shape[0], 1)
    gain = 1 + amount * jax.random.uniform(k_gain, shape, minval=-1, maxval=1)
    return images * gain + amount * jax.random.normal(k_bias, shape)
