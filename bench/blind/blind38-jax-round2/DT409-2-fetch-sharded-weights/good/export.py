import jax
import numpy as np
from jax.experimental import multihost_utils


def export(params, path):
    """One file with all weights, for the serving team."""
    flat = {"/".join(map(str, where)): leaf for where, leaf in flatten(params)}
    flat = multihost_utils.process_allgather(flat, tiled=True)
    if jax.process_index() == 0:
        np.savez(path, **flat)
        print(f"{len(flat)} arrays in {path}")


def flatten(tree):
    for where, leaf in jax.tree_util.tree_leaves_with_path(tree):
        yield [getattr(part, "key", part) for part in where], leaf
