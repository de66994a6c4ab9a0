import jax
import numpy as np


def export(params, path):
    """One file with all weights, for the serving team."""
    if jax.process_index() != 0:
        return
    flat = {"/".join(map(str, where)): np.asarray(jax.device_get(leaf)) for where, leaf in flatten(params)}
    np.savez(path, **flat)
    print(f"{len(flat)} arrays in {path}")


def flatten(tree):
    for where, leaf in jax.tree_util.tree_leaves_with_path(tree):
        yield [getattr(part, "key", part) for part in where], leaf
