import jax
import jax.numpy as jnp


def init(key, dim=8, width=64):
    k1, k2 = jax.random.split(key)
    return {"a": jax.random.normal(k1, (dim, width)) / dim**0.5, "b": jax.random.normal(k2, (width,)) / width**0.5}


def loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["a"]) @ params["b"] - y) ** 2)
