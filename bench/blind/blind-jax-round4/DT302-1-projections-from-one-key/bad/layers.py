import jax
import jax.numpy as jnp


def linear(key, n_in, n_out):
    bound = n_in**-0.5
    return {"w": jax.random.uniform(key, (n_in, n_out), minval=-bound, maxval=bound), "b": jnp.zeros((n_out,))}


def attention(key, dim):
    mix_key, out_key = jax.random.split(key)
    params = {name: linear(mix_key, dim, dim) for name in ("query", "key", "value")}
    params["out"] = linear(out_key, dim, dim)
    return params


def apply(p, x):
    return x @ p["w"] + p["b"]


def attend(params, x):
    q, k, v = (apply(params[name], x) for name in ("query", "key", "value"))
    weights = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / x.shape[-1] ** 0.5)
    return x + apply(params["out"], weights @ v)
