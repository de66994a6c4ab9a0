import numpy as np
import torch
from torch.utils.data import Dataset


class CropDataset(Dataset):
    def __init__(self, n: int, length: int, crop: int):
        self.series = np.random.default_rng(0).normal(size=(n, length)).astype(np.float32)
        self.crop = crop
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self):
        return len(self.series)

    def __getitem__(self, i):
        rng = np.random.default_rng((self.epoch, i))
        start = int(rng.integers(0, self.series.shape[1] - self.crop))
        return torch.from_numpy(self.series[i, start : start + self.crop])
