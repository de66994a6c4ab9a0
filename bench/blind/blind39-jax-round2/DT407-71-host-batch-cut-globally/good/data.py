import jax
import numpy as np


class HostBatches:
    """This host's rows of each global batch, cut for its devices."""

    def __init__(self, path, global_batch, seed):
        rows = np.load(path, mmap_mode="r")
        self.rows = rows[jax.process_index() :: jax.process_count()]
        self.per_host = global_batch // jax.process_count()
        self.rng = np.random.default_rng([seed, jax.process_index()])

    def __iter__(self):
        lanes = jax.local_device_count()
        while True:
            pick = self.rng.integers(0, len(self.rows), size=self.per_host)
            batch = np.asarray(self.rows[pick], dtype=np.float32)
            yield batch.reshape(lanes, self.per_host // lanes, -1)
