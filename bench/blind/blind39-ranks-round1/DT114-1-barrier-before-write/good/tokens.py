from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Dataset


def build(path, n_tokens=40_000, vocab=64):
    rng = np.random.default_rng(1234)
    tokens = rng.integers(0, vocab, n_tokens, dtype=np.uint16)
    with path.open("wb") as out:
        tokens.tofile(out)


def open_tokens(root, rank):
    path = Path(root) / "tokens.bin"
    if rank == 0 and not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        build(path)
    dist.barrier()
    return np.memmap(path, dtype=np.uint16, mode="r")


class Windows(Dataset):
    def __init__(self, tokens, length=32):
        self.tokens, self.length = tokens, length

    def __len__(self):
        return (len(self.tokens) - 1) // self.length

    def __getitem__(self, i):
        start = i * self.length
        window = torch.from_numpy(self.tokens[start : start + self.length + 1].astype(np.int64))
        return window[:-1], window[1:]
