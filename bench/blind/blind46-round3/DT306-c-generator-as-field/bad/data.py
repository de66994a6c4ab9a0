from dataclasses import dataclass, field

import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info


@dataclass
class Jitter:
    amount: float = 0.1
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def __call__(self, x):
        return x + self.amount * self.rng.standard_normal(x.shape).astype(np.float32)


class Points(Dataset):
    def __init__(self, n=2000, transform=None):
        self.x = np.random.default_rng(11).normal(size=(n, 12)).astype(np.float32)
        self.transform = transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        row = self.x[i]
        if self.transform is not None:
            row = self.transform(row)
        return torch.from_numpy(row), float(self.x[i].sum())
