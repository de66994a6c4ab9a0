import collections
import random

import torch


class Buffer:
    def __init__(self, seed, most=2000):
        self.rows = collections.deque(maxlen=most)
        self.rng = random.Random(seed)

    def add(self, *row):
        self.rows.append(row)

    def sample(self, n):
        picked = [self.rows[self.rng.randrange(len(self.rows))] for _ in range(n)]
        return [torch.tensor(column, dtype=torch.float32) for column in zip(*picked)]
