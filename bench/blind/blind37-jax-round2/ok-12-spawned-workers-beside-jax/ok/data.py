import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, path, length):
        self.series = np.load(path)
        self.length = length

    def __len__(self):
        return len(self.series) // self.length

    def __getitem__(self, index):
        start = index * self.length
        return self.series[start : start + self.length].astype(np.float32)


def collate(items):
    return np.stack(items)


def loader(path, batch, workers):
    return DataLoader(
        Windows(path, 128),
        batch_size=batch,
        shuffle=True,
        generator=torch.Generator().manual_seed(0),
        num_workers=workers,
        multiprocessing_context="spawn",
        collate_fn=collate,
        drop_last=True,
    )
