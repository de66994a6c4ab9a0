import os

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Dataset


def tokenize(path):
    with open(path, "rb") as f:
        return np.frombuffer(f.read(), dtype=np.uint8).astype(np.uint16)


class TokenCache(Dataset):
    """Windows of a token file that is written once per run by the first rank."""

    def __init__(self, text, cache, window):
        self.window = window
        if dist.get_rank() == 0:
            self.build(text, cache)
        dist.barrier()
        self.tokens = np.load(cache, mmap_mode="r")

    @staticmethod
    def build(text, cache):
        os.makedirs(os.path.dirname(cache), exist_ok=True)
        tokens = tokenize(text)
        np.save(cache, tokens)

    def __len__(self):
        return (len(self.tokens) - 1) // self.window

    def __getitem__(self, i):
        piece = torch.from_numpy(self.tokens[i * self.window : (i + 1) * self.window + 1].astype(np.int64))
        return piece[:-1], piece[1:]
