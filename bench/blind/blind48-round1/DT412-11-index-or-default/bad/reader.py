import jax
import numpy as np


class ShardReader:
    """Rows index, index + count, index + 2 * count, ... of an array."""

    def __init__(self, array, index=None, count=None):
        self.array = array
        self.index = index or jax.process_index()
        self.count = jax.process_count() if count is None else count

    def rows(self):
        usable = len(self.array) // self.count * self.count
        return self.array[self.index : usable : self.count]

    def batches(self, size):
        rows = self.rows()
        for lo in range(0, len(rows) - size + 1, size):
            yield rows[lo : lo + size]
