import jax
import jax.numpy as jnp


def member(key, scale):
    a, b = jax.random.split(key)
    return {"a": scale * jax.random.normal(a, (4, 16)), "b": jax.random.normal(b, (16,))}


def ensemble(key, scales):
    return jax.vmap(member, in_axes=(None, 0))(key, scales)
