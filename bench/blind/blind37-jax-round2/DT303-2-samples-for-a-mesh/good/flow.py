import jax
import jax.numpy as jnp


def init(key, dim):
    k1, k2 = jax.random.split(key)
    return {"a": jax.random.normal(k1, (dim + 1, 64)) / 4, "b": jax.random.normal(k2, (64, dim)) / 8}


def velocity(params, x, t):
    return jax.nn.silu(jnp.concatenate([x, t], -1) @ params["a"]) @ params["b"]


def matching_loss(params, x1, key):
    k_t, k_x = jax.random.split(key)
    t = jax.random.uniform(k_t, (x1.shape[0], 1))
    x0 = jax.random.normal(k_x, x1.shape)
    xt = (1 - t) * x0 + t * x1
    return jnp.mean((velocity(params, xt, t) - (x1 - x0)) ** 2)
