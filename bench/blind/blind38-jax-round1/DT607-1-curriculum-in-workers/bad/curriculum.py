import torch
from torch.utils.data import Dataset


class GrowingSequences(Dataset):
    """Sequences cut to a length that grows with training."""

    def __init__(self, tokens, start, longest):
        self.tokens = tokens
        self.longest = longest
        self.length = start

    def grow(self, factor=2):
        self.length = min(self.longest, self.length * factor)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        row = self.tokens[index, : self.length].clone()
        return torch.nn.functional.pad(row, (0, self.longest - len(row)), value=-100)
