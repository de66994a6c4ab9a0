from typing import Protocol, Sequence

import numpy as np


class Transform(Protocol):
    def __call__(self, row: np.ndarray) -> np.ndarray: ...


class Jitter:
    def __init__(self, scale: float, seed: int = 0) -> None:
        self.scale = scale
        self.rng = np.random.default_rng(seed)

    def __call__(self, row):
        return row + self.scale * self.rng.standard_normal(row.shape)


class Chain:
    def __init__(self, steps: Sequence[Transform]) -> None:
        self.steps = tuple(steps)

    def __call__(self, row):
        for step in self.steps:
            row = step(row)
        return row
