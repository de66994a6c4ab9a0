import jax.numpy as jnp

from constants import FREQUENCIES


def encode(points):
    angles = points[..., None] * FREQUENCIES
    return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1).reshape(*points.shape[:-1], -1)


def render(params, points):
    hidden = encode(points)
    for layer in params["hidden"]:
        hidden = jnp.maximum(hidden @ layer, 0.0)
    return hidden @ params["colour"]
