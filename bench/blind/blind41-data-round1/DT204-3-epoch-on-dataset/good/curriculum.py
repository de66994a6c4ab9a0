import torch
from torch.utils.data import Dataset


class Curriculum(Dataset):
    """Sequences get longer from epoch to epoch."""

    def __init__(self, n, longest):
        self.n, self.longest, self.length = n, longest, 8

    def set_epoch(self, epoch):
        self.length = min(self.longest, 8 * (1 + epoch))

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        seq = torch.rand(self.longest, generator=g)
        mask = (torch.arange(self.longest) < self.length).float()
        return seq * mask, (seq * mask).sum()
