import numpy as np
import torch


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


class Jitter:
    def __init__(self, scale, seed):
        self.scale = scale
        self.rng = np.random.default_rng(seed)

    def __call__(self, x):
        return x + self.scale * torch.from_numpy(self.rng.standard_normal(tuple(x.shape), dtype=np.float32))


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return (x - self.mean) / self.std
