import numpy as np


class Batches:
    def __init__(self, x, y, batch_size, drop_last=False):
        self.x, self.y = x, y
        self.batch_size, self.drop_last = batch_size, drop_last

    def __iter__(self):
        order = np.random.default_rng(0).permutation(len(self.x))
        stop = len(order)
        if self.drop_last:
            stop -= stop % self.batch_size
        for lo in range(0, stop, self.batch_size):
            rows = order[lo : lo + self.batch_size]
            yield self.x[rows], self.y[rows]
