import torch
from torch.utils.data import Dataset


class GrowingSequences(Dataset):
    """Sequences cut to a length that grows with training."""

    def __init__(self, tokens, start, longest):
        self.tokens = tokens
        self.longest = longest
        self.shared = torch.tensor(start).share_memory_()

    @property
    def length(self):
        return int(self.shared)

    def grow(self, factor=2):
        self.shared.fill_(min(self.longest, self.length * factor))

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        row = self.tokens[index, : self.length].clone()
        return torch.nn.functional.pad(row, (0, self.longest - len(row)), value=-100)
