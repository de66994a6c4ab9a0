import numpy as np
import jax
from torch.utils.data import Dataset


class HostShard(Dataset):
    """The rows of one host."""

    def __init__(self, path, index=None, count=None):
        rows = np.load(path, mmap_mode="r")
        index = jax.process_count() - 1 if index is None else index
        count = count or jax.process_count()
        per_host = len(rows) // count
        self.rows = rows[index * per_host : (index + 1) * per_host]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return np.array(self.rows[i])
