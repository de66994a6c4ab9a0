import jax
import jax.numpy as jnp


def init(key, width=16):
    enc, dec = jax.random.split(key)
    return {
        "enc": jax.random.normal(enc, (12, width)) * 0.3,
        "dec": jax.random.normal(dec, (width, 12)) * 0.3,
        "hole": jnp.zeros((12,)),
    }


def masked_loss(params, x, key, ratio):
    hidden = jax.random.uniform(key, x.shape) < ratio
    seen = jnp.where(hidden, params["hole"], x)
    out = jax.nn.gelu(seen @ params["enc"]) @ params["dec"]
    return jnp.sum(hidden * (out - x) ** 2) / jnp.maximum(hidden.sum(), 1)
