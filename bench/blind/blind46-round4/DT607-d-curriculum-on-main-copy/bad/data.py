import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Curriculum(Dataset):
    def __init__(self, n=1200, length=64):
        self.tokens = torch.randint(0, 50, (n, length), generator=torch.Generator().manual_seed(0))
        self._stage = 1

    @property
    def stage(self):
        return self._stage

    @stage.setter
    def stage(self, value):
        self._stage = min(value, 4)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        width = 16 * self._stage
        row = self.tokens[i].clone()
        row[width:] = 0
        return row


def build(batch_size=20, workers=2):
    data = Curriculum()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=batch_size,
        sampler=sampler,
        num_workers=workers,
        persistent_workers=True,
        drop_last=True,
    )
    return data, sampler, loader
