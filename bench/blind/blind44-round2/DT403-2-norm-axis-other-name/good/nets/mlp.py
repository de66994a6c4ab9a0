import jax
import jax.numpy as jnp

from nets.norm import synced_norm


def init(key, sizes=(6, 32, 2)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (a, b)) / a**0.5, "scale": jnp.ones(b), "bias": jnp.zeros(b)}
        for k, a, b in zip(keys, sizes, sizes[1:])
    ]


def apply(layers, x):
    for i, layer in enumerate(layers):
        x = synced_norm(x @ layer["w"], layer["scale"], layer["bias"])
        if i + 1 < len(layers):
            x = jax.nn.relu(x)
    return x
