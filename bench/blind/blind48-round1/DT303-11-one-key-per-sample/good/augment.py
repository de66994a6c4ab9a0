import jax
import jax.numpy as jnp


def jitter(key, x, scale=0.1):
    return x + scale * jax.random.normal(key, x.shape)


def flip(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.5, (x.shape[0], 1)), x[:, ::-1], x)


def augment(key, x):
    k1, k2 = jax.random.split(key)
    return flip(k1, jitter(k2, x))
