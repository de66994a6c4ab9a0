import os

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Dataset


def pack(path, documents):
    lengths = sum(len(d) for d in documents)
    tokens = np.memmap(path, dtype=np.uint16, mode="w+", shape=(lengths,))
    cursor = 0
    for document in documents:
        tokens[cursor : cursor + len(document)] = document
        cursor += len(document)
    tokens.flush()


class Packed(Dataset):
    def __init__(self, path, window):
        self.tokens = np.memmap(path, dtype=np.uint16, mode="r")
        self.window = window

    def __len__(self):
        return (len(self.tokens) - 1) // self.window

    def __getitem__(self, i):
        chunk = self.tokens[i * self.window : (i + 1) * self.window + 1].astype(np.int64)
        return torch.from_numpy(chunk[:-1]), torch.from_numpy(chunk[1:])


def open_corpus(cache_dir, documents, window):
    path = os.path.join(cache_dir, "train.bin")
    if dist.get_rank() == 0 and not os.path.exists(path):
        os.makedirs(cache_dir, exist_ok=True)
        pack(path, documents())
    dist.barrier()
    return Packed(path, window)
