import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data import DistributedSampler


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def train_loader(batch_size, seed):
    ds = WindowDataset(n=2048)
    order = DistributedSampler(ds, seed=seed, drop_last=True)
    return DataLoader(ds, batch_size=batch_size, sampler=order, drop_last=True)
