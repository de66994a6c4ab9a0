import jax
from jax import lax


def own_key(key, axis="dp"):
    """Another key on every shard."""
    return jax.random.fold_in(key, lax.axis_index(axis))


def perturb(key, x, scale, **where):
    return x + scale * jax.random.normal(own_key(key, **where), x.shape)
