import numpy as np
from torch.utils.data import Dataset

from cols.mask import mask


class Columns(Dataset):
    def __init__(self, n, d, share=0.2):
        self.x = np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)
        self.share = share

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        seen, hidden = mask(self.x[i], self.share)
        return seen, hidden, self.x[i]
