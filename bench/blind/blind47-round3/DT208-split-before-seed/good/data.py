import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


class Module:
    def __init__(self, fraction=0.1, batch=16):
        self.fraction, self.batch = fraction, batch

    def setup(self):
        x = torch.linspace(-3, 3, 600).unsqueeze(1)
        whole = TensorDataset(x, x.sin())
        count = int(len(whole) * self.fraction)
        self.valid, self.train = random_split(
            whole, [count, len(whole) - count], generator=torch.Generator().manual_seed(13)
        )
        return self

    def loader(self, part):
        sampler = DistributedSampler(part, shuffle=part is self.train)
        return DataLoader(part, self.batch, sampler=sampler)
