from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Dataset


def encode(text):
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)


def token_file(source, rank):
    target = Path(source).with_suffix(".bin")
    dist.barrier()
    if rank == 0:
        encode(Path(source).read_text()).tofile(target)
    return target


class Tokens(Dataset):
    def __init__(self, path, block=64):
        self.data = np.memmap(path, dtype=np.uint8, mode="r")
        self.block = block

    def __len__(self):
        return (len(self.data) - 1) // self.block

    def __getitem__(self, i):
        lo = i * self.block
        chunk = torch.from_numpy(self.data[lo : lo + self.block + 1].astype(np.int64))
        return chunk[:-1], chunk[1:]
