import jax
import numpy as np


class ShardedStream:
    """Yields this host's part of every global batch, ready for pmap."""

    def __init__(self, x, y, global_batch, seed):
        self.x = np.array_split(x, jax.process_count())[jax.process_index()]
        self.y = np.array_split(y, jax.process_count())[jax.process_index()]
        self.batch = global_batch // jax.process_count()
        self.rng = np.random.default_rng([seed, jax.process_index()])

    def _to_devices(self, a):
        return a.reshape(jax.device_count(), -1, *a.shape[1:])

    def __iter__(self):
        while True:
            pick = self.rng.choice(len(self.x), self.batch, replace=False)
            yield self._to_devices(self.x[pick]), self._to_devices(self.y[pick])
