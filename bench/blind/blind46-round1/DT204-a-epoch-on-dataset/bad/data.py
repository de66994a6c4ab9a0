import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Audio(Dataset):
    def __init__(self, n=300, length=64):
        g = torch.Generator().manual_seed(8)
        self.wave = torch.randn(n, length, generator=g)
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.wave)

    def __getitem__(self, i):
        return self.wave[i]


def train_loader(batch_size):
    data = Audio()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)
