import json
import time

import jax
import numpy as np
from jax.experimental import multihost_utils


class Summary:
    """One JSON line per call, on the first host."""

    def __init__(self, path):
        self.path = path
        self.began = time.time()

    def write(self, step, per_host):
        everywhere = jax.tree.map(multihost_utils.process_allgather, per_host)
        if jax.process_index() != 0:
            return
        row = {name: float(np.mean(values)) for name, values in everywhere.items()}
        with open(self.path, "a") as out:
            out.write(json.dumps({"step": step, "seconds": time.time() - self.began, **row}) + "\n")
