import jax
import numpy as np
from jax.experimental import multihost_utils


def gather_to_host(tree):
    return multihost_utils.process_allgather(tree, tiled=True)


def write_npz(path, tree):
    flat, _ = jax.tree_util.tree_flatten_with_path(tree)
    np.savez(path, **{jax.tree_util.keystr(where): leaf for where, leaf in flat})
