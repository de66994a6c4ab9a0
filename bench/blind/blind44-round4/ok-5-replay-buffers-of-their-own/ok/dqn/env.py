import numpy as np


class Line:
    def __init__(self, seed, size=9):
        self.rng, self.size = np.random.default_rng(seed), size

    def reset(self):
        self.at = int(self.rng.integers(1, self.size - 1))
        return self.at

    def step(self, action):
        self.at += 1 if action else -1
        done = self.at in (0, self.size - 1)
        reward = float(self.at == self.size - 1)
        state = self.at
        if done:
            self.reset()
        return state, reward, done
