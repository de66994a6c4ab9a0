from dataclasses import dataclass, field

import numpy as np


@dataclass
class ArrayLoader:
    x: np.ndarray
    y: np.ndarray
    batch_size: int = 128
    seed: int = 0
    rng: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self):
        self.rng = np.random.default_rng(self.seed)

    def __iter__(self):
        order = self.rng.permutation(len(self.x))
        usable = len(order) - len(order) % self.batch_size
        for start in range(0, usable, self.batch_size):
            rows = order[start : start + self.batch_size]
            yield self.x[rows], self.y[rows]
