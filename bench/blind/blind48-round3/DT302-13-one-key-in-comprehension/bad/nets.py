import jax
import jax.numpy as jnp


def init_mlp(key, sizes):
    return [
        {"w": jax.random.normal(key, (a, b)) / jnp.sqrt(a), "b": jnp.zeros((b,))} for a, b in zip(sizes, sizes[1:])
    ]


def apply_mlp(params, x):
    for layer in params[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]
