import jax
import jax.numpy as jnp


def init(key, dim=5):
    return {"w": jax.random.normal(key, (dim,)), "b": jnp.zeros(())}


def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)
