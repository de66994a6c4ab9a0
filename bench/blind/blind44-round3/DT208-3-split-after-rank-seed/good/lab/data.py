import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def full(n=3000):
    x = torch.randn(n, 10, generator=torch.Generator().manual_seed(99))
    return TensorDataset(x, (x[:, 0] > x[:, 1]).long())


class Data:
    def __init__(self, batch, held_out=0.1):
        data = full()
        val = int(len(data) * held_out)
        self.train, self.val = random_split(
            data, [len(data) - val, val], generator=torch.Generator().manual_seed(5)
        )
        self.batch = batch

    def loader(self, part):
        train = part == "train"
        data = getattr(self, part)
        sampler = DistributedSampler(data, shuffle=train, drop_last=train)
        return DataLoader(data, self.batch, sampler=sampler, drop_last=train)
