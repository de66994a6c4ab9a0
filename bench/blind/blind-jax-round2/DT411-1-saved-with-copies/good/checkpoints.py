import os
import pickle

import jax


class Pickled:
    def __init__(self, directory):
        self.directory = directory
        os.makedirs(directory, exist_ok=True)

    @property
    def path(self):
        return os.path.join(self.directory, "last.pkl")

    def save(self, step, tree):
        with open(self.path + ".tmp", "wb") as f:
            pickle.dump({"step": step, "tree": jax.device_get(tree)}, f)
        os.replace(self.path + ".tmp", self.path)

    def restore(self, step, tree):
        if not os.path.exists(self.path):
            return step, tree
        with open(self.path, "rb") as f:
            held = pickle.load(f)
        return held["step"], held["tree"]
