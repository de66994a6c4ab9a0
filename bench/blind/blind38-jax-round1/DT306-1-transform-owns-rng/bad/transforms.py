import numpy as np


class SpecAugment:
    """Blanks one band of mel bins and one span of frames."""

    def __init__(self, bands, frames, seed):
        self.bands, self.frames = bands, frames
        self.rng = np.random.default_rng(seed)

    def _span(self, size, limit):
        width = int(self.rng.integers(0, limit + 1))
        start = int(self.rng.integers(0, max(1, size - width)))
        return slice(start, start + width)

    def __call__(self, mel):
        mel = mel.copy()
        mel[self._span(mel.shape[0], self.bands)] = 0.0
        mel[:, self._span(mel.shape[1], self.frames)] = 0.0
        return mel


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


def log_compress(mel):
    return np.log1p(100.0 * mel)
