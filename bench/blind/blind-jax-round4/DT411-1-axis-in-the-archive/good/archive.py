import jax
import numpy as np


def flatten(tree):
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def save(path, tree):
    np.savez(path, **flatten(tree))


def load(path, like):
    with np.load(path) as held:
        leaves, form = jax.tree_util.tree_flatten_with_path(like)
        return jax.tree_util.tree_unflatten(form, [held[jax.tree_util.keystr(p)] for p, _ in leaves])
