import torch
from torch.utils.data import Dataset


class Crops(Dataset):
    def __init__(self, n=512, length=64, crop=32):
        g = torch.Generator().manual_seed(3)
        self.signals = torch.randn(n, length, generator=g)
        self.crop = crop

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, i):
        start = int(torch.randint(0, self.signals.shape[1] - self.crop + 1, ()))
        x = self.signals[i, start : start + self.crop]
        return x + 0.1 * torch.randn_like(x), x.mean()
