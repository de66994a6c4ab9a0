import pathlib

import jax
import numpy as np


class Out:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    @property
    def mine(self):
        return jax.process_index() == 0

    def save(self, name, tree):
        if self.mine:
            self.folder.mkdir(parents=True, exist_ok=True)
            flat = {"/".join(str(k) for k in path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}
            np.savez(self.folder / name, **flat)
