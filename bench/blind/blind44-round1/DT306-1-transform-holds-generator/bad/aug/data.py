import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from aug.transforms import Compose, Jitter, Normalize


class Points(Dataset):
    def __init__(self, n, transform):
        g = torch.Generator().manual_seed(4)
        self.x = torch.randn(n, 9, generator=g)
        self.transform = transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return self.transform(x), x.norm()


def build(n, batch, rank, seed):
    data = Points(n, Compose(Jitter(0.05, seed=seed + rank), Normalize(0.0, 1.0)))
    sampler = DistributedSampler(data, drop_last=True)
    return DataLoader(data, batch, sampler=sampler, num_workers=4, drop_last=True), sampler
