import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Blobs(Dataset):
    def __init__(self, n, seed, labels=True):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 12, generator=g)
        self.y = (self.x[:, 0] * self.x[:, 1] > 0).long()
        self.labels = labels

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return (self.x[i], self.y[i]) if self.labels else self.x[i]


def labelled_loader(cfg, seed):
    data = Blobs(512, seed)
    sampler = DistributedSampler(data, shuffle=True, seed=seed, drop_last=True)
    return DataLoader(data, cfg.batch, sampler=sampler, num_workers=cfg.workers, drop_last=True), sampler


def unlabelled_loader(cfg, seed):
    data = Blobs(6144, seed + 1, labels=False)
    return DataLoader(data, cfg.batch, shuffle=True, num_workers=cfg.workers, drop_last=True,
                      generator=torch.Generator().manual_seed(seed))
