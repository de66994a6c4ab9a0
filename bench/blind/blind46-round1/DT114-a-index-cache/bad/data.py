import numpy as np
import torch
from torch.utils.data import Dataset

from index import open_index


class Packed(Dataset):
    def __init__(self, tokens, length, root):
        self.tokens, self.length = tokens, length
        self.starts = open_index(root, tokens, length)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        at = int(self.starts[i])
        window = self.tokens[at : at + self.length + 1]
        window = torch.from_numpy(np.asarray(window, dtype=np.int64))
        return window[:-1], window[1:]
