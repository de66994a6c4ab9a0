import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Curriculum(Dataset):
    """Windows that grow longer from stage to stage."""

    def __init__(self, n=512, longest=64):
        gen = torch.Generator().manual_seed(17)
        self.signal = torch.randn(n, longest, generator=gen)
        self.stage = 0

    def set_stage(self, stage):
        self.stage = stage

    def __len__(self):
        return len(self.signal)

    def __getitem__(self, i):
        keep = min(self.signal.shape[1], 16 * (self.stage + 1))
        x = self.signal[i].clone()
        x[keep:] = 0.0
        return x, x.sum()[None]


def make_loader(batch_size):
    ds = Curriculum()
    sampler = DistributedSampler(ds, drop_last=True)
    return DataLoader(ds, batch_size=batch_size, sampler=sampler, num_workers=2, persistent_workers=True, drop_last=True)
