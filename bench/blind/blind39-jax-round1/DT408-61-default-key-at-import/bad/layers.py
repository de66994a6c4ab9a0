import jax
import jax.numpy as jnp

_FALLBACK_KEY = jax.random.PRNGKey(0)


def truncated_normal(shape, stddev, key=None):
    key = _FALLBACK_KEY if key is None else key
    return stddev * jax.random.truncated_normal(key, -2.0, 2.0, shape)


def linear(key, d_in, d_out):
    return {"w": truncated_normal((d_in, d_out), d_in**-0.5, key), "b": jnp.zeros(d_out)}


def apply_linear(params, x):
    return x @ params["w"] + params["b"]
