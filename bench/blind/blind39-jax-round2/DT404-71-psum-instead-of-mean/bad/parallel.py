"""Small layer over pmap for one axis."""
import functools

import jax
import jax.numpy as jnp

AXIS = "workers"

pmap = functools.partial(jax.pmap, axis_name=AXIS)
psum = functools.partial(jax.lax.psum, axis_name=AXIS)
pmean = functools.partial(jax.lax.pmean, axis_name=AXIS)


def broadcast(tree):
    n = jax.local_device_count()
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (n,) + jnp.shape(x)), tree)


def first(tree):
    return jax.tree.map(lambda x: x[0], tree)


def split_rows(tree):
    n = jax.local_device_count()
    return jax.tree.map(lambda x: x.reshape((n, -1) + x.shape[1:]), tree)
