import jax
import numpy as np


class Reader:
    """The rows of this host, in batches for its devices."""

    def __init__(self, rows, batch, seed):
        self.rows = rows[jax.process_index() :: jax.process_count()]
        self.batch = batch
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        n = jax.local_device_count()
        while True:
            picked = self.rng.integers(0, len(self.rows), self.batch)
            yield self.rows[picked].reshape(n, -1, self.rows.shape[1])
