import pathlib

import jax
import numpy as np


def flat(tree):
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def write(folder, tree):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "weights.npz", **flat(tree))
