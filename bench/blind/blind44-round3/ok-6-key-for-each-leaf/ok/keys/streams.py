import enum

import jax


class Stream(enum.IntEnum):
    INIT = 0
    NOISE = 1
    DATA = 2


def stream(seed, which, step=0):
    key = jax.random.fold_in(jax.random.key(seed), int(which))
    return jax.random.fold_in(key, step)


def like(key, tree):
    """A tree of keys of the shape of another tree."""
    leaves, shape = jax.tree.flatten(tree)
    return jax.tree.unflatten(shape, list(jax.random.split(key, len(leaves))))
