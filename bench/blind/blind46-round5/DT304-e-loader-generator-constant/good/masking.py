import torch
from torch.utils.data import Dataset


class Masked(Dataset):
    """Masks some tokens of each row anew whenever it is read."""

    def __init__(self, rows, rate, rng):
        self.rows, self.rate, self.rng = rows, rate, rng

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        mask = torch.rand(row.shape, generator=self.rng) < self.rate
        return row.masked_fill(mask, 0), row, mask
