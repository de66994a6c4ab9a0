import random

import torch
from torch.utils.data import Dataset


class Sums(Dataset):
    """Sequences of digits and their sum; the level decides how long they are."""

    LENGTH = 16

    def __init__(self, n=960):
        self.n = n
        self.level = 2

    def harder(self):
        self.level = min(self.level + 2, self.LENGTH)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = random.Random(i)
        digits = torch.zeros(self.LENGTH)
        for at in range(self.level):
            digits[at] = rng.randrange(10)
        return digits, digits.sum()
