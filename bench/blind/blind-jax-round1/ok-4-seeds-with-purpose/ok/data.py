import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, random_split


class Spectra(Dataset):
    def __init__(self, n=400, width=32):
        g = torch.Generator().manual_seed(0)
        self.values = torch.rand(n, width, generator=g)
        self._rng = None

    def __len__(self):
        return len(self.values)

    @property
    def rng(self):
        if self._rng is None:
            self._rng = np.random.default_rng(torch.initial_seed() % 2**63)
        return self._rng

    def __getitem__(self, i):
        shift = int(self.rng.integers(0, 8))
        x = torch.roll(self.values[i], shift)
        return x, self.values[i].mean()


def loaders(seed, batch, workers):
    train, held_out = random_split(Spectra(), [0.9, 0.1], generator=torch.Generator().manual_seed(seed))
    sampler = DistributedSampler(train, seed=seed, drop_last=True)
    train_loader = DataLoader(train, batch, sampler=sampler, num_workers=workers, drop_last=True)
    return train_loader, DataLoader(held_out, batch)
