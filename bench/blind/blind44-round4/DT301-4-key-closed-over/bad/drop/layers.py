import jax
import jax.numpy as jnp


def dropout(key, x, rate=0.2):
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0.0)


def apply(params, x, key):
    h = dropout(key, jax.nn.relu(x @ params["a"]))
    return h @ params["b"]
