import torch
from torch.utils.data import Dataset


class Corpus(Dataset):
    def __init__(self, length, count=4096):
        self.length, self.count = length, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        g = torch.Generator().manual_seed(index)
        return torch.randint(0, 256, (self.length,), generator=g)
