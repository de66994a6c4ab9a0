import jax
import numpy as np


class Feed:
    def __init__(self, global_batch, seed):
        self.host_batch = global_batch // jax.process_count()
        self.rng = np.random.default_rng([seed, jax.process_index()])

    def next(self):
        x = self.rng.normal(size=(self.host_batch, 6)).astype(np.float32)
        return x.reshape(jax.local_device_count(), -1, 6)
