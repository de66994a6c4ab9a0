import jax
import numpy as np
from jax.experimental import multihost_utils


class EmbeddingIndex:
    def __init__(self):
        self.parts = []

    def add(self, vectors):
        gathered = multihost_utils.process_allgather(vectors, tiled=True)
        if jax.process_index() == 0:
            self.parts.append(gathered.astype(np.float16))

    def save(self, path):
        if jax.process_index() == 0:
            np.save(path, np.concatenate(self.parts))
