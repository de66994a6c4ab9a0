import numpy as np


class Corridor:
    """Walk to the right end; a slip may move the walker back."""

    def __init__(self, length, seed):
        self.length = length
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.at = int(self.rng.integers(0, self.length // 2))
        return self.observe()

    def observe(self):
        seen = np.zeros(self.length, np.float32)
        seen[self.at] = 1.0
        return seen

    def step(self, action):
        move = 1 if action == 1 else -1
        if self.rng.random() < 0.1:
            move = -move
        self.at = int(np.clip(self.at + move, 0, self.length - 1))
        done = self.at == self.length - 1
        return self.observe(), 1.0 if done else -0.05, done
