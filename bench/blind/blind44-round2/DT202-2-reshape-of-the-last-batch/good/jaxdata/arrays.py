import jax
import numpy as np


class ArrayLoader:
    """Shuffled batches of two arrays, laid out for the local devices."""

    def __init__(self, x, y, batch, seed, drop_last=True):
        assert batch % jax.local_device_count() == 0
        self.x, self.y, self.batch = x, y, batch
        self.rng = np.random.default_rng(seed)
        self.drop_last = drop_last

    def __iter__(self):
        order = self.rng.permutation(len(self.x))
        for start in range(0, len(order), self.batch):
            rows = order[start : start + self.batch]
            if self.drop_last and len(rows) < self.batch:
                return
            yield self.layout(self.x[rows]), self.layout(self.y[rows])

    @staticmethod
    def layout(a):
        return a.reshape((jax.local_device_count(), -1) + a.shape[1:])
