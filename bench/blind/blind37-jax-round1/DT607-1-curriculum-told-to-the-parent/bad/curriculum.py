import torch
from torch.utils.data import Dataset


class LengthCurriculum(Dataset):
    """Cuts sequences to a length that grows from epoch to epoch."""

    def __init__(self, sequences, shortest=32, longest=256, growth=32):
        self.sequences = sequences
        self.shortest = shortest
        self.longest = longest
        self.growth = growth
        self.length = shortest

    def begin_epoch(self, epoch):
        self.length = min(self.longest, self.shortest + self.growth * epoch)

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, index):
        ids = self.sequences[index][: self.length]
        return torch.nn.functional.pad(ids, (0, self.length - len(ids)))
