import numpy as np
import torch


class RandomWindow:
    def __init__(self, size, seed):
        self.size = size
        self.rng = np.random.default_rng(seed)

    def __call__(self, wave):
        start = int(self.rng.integers(0, wave.shape[-1] - self.size + 1))
        return wave[..., start : start + self.size]

    def reseed(self, entropy):
        self.rng = np.random.default_rng(entropy)


class Gain:
    def __init__(self, db):
        self.scale = 10 ** (db / 20)

    def __call__(self, wave):
        return wave * self.scale


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, wave):
        for step in self.steps:
            wave = step(wave)
        return wave
