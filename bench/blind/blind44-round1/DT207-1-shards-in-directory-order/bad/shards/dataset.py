import numpy as np
import torch
from torch.utils.data import Dataset

from .index import ShardIndex

ROWS = 256


class ShardDataset(Dataset):
    """Every shard holds exactly ROWS rows."""

    def __init__(self, root, rank, world):
        self.paths = ShardIndex(root).part(rank, world)

    def __len__(self):
        return ROWS * len(self.paths)

    def __getitem__(self, i):
        shard = np.load(self.paths[i // ROWS], mmap_mode="r")
        row = torch.from_numpy(np.array(shard[i % ROWS], dtype=np.float32))
        return row[:-1], row[-1:]
