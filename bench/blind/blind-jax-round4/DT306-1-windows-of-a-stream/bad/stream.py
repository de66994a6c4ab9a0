import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class Windows(IterableDataset):
    """Random windows of one long sequence, without end."""

    def __init__(self, tokens, length, seed, rank):
        super().__init__()
        self.tokens, self.length = tokens, length
        self.seed, self.rank = seed, rank
        self.rng = np.random.default_rng([seed, rank])

    def __iter__(self):
        while True:
            start = int(self.rng.integers(0, len(self.tokens) - self.length))
            window = torch.from_numpy(self.tokens[start : start + self.length].astype(np.int64))
            yield window[:-1], window[1:]
