import torch
from torch.utils.data import Dataset


class GrowingSequences(Dataset):
    """Copies of token rows, cut to the length of the current level."""

    def __init__(self, rows, lengths):
        self.rows = rows
        self.lengths = lengths
        self.level = 0

    def advance(self):
        self.level = min(self.level + 1, len(self.lengths) - 1)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index][: self.lengths[self.level]]
