import numpy as np


class Pole:
    """A pole on a cart, roughly."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, size=4)
        self.t = 0
        return self.state.astype(np.float32)

    def step(self, action):
        force = 1.0 if action == 1 else -1.0
        x, v, a, w = self.state
        w = w + 0.1 * (9.8 * np.sin(a) - force) + self.rng.normal(scale=0.01)
        a = a + 0.02 * w
        v = v + 0.1 * force
        self.state = np.array([x + 0.02 * v, v, a, w])
        self.t += 1
        return self.state.astype(np.float32), 1.0, bool(abs(a) > 0.3 or self.t >= 50)
