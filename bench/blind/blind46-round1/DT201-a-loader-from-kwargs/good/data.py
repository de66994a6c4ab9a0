import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Spirals(Dataset):
    def __init__(self, size, dim, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(size, dim, generator=g)
        self.y = (self.x.norm(dim=1) > dim**0.5).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_loader(cfg, **overrides):
    kwargs = {**cfg.loader, **overrides}
    dataset = Spirals(cfg.size, cfg.dim)
    return DataLoader(dataset, **kwargs)


def build_train_loader(cfg):
    dataset = Spirals(cfg.size, cfg.dim)
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    return DataLoader(dataset, sampler=sampler, **cfg.loader), sampler
