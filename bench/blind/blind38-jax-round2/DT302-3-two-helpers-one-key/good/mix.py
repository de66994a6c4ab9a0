import jax
import jax.numpy as jnp


def coefficient(key, alpha, n):
    lam = jax.random.beta(key, alpha, alpha, (n,))
    return jnp.maximum(lam, 1.0 - lam)


def partners(key, n):
    return jax.random.permutation(key, n)


def mixup(key, images, labels, alpha=0.4):
    """Each image is blended with another one of the same device's batch."""
    n = images.shape[0]
    lam_key, other_key = jax.random.split(key)
    lam = coefficient(lam_key, alpha, n)
    other = partners(other_key, n)
    wide = lam[:, None, None, None]
    return wide * images + (1 - wide) * images[other], labels, labels[other], lam
