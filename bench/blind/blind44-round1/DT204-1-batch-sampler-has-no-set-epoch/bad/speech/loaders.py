import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Utterances(Dataset):
    def __init__(self, count=768, frames=20):
        g = torch.Generator().manual_seed(77)
        self.feats = torch.randn(count, frames, 8, generator=g)

    def __len__(self):
        return len(self.feats)

    def __getitem__(self, i):
        return {"feat": self.feats[i], "len": 20}


def collate(items):
    return torch.stack([it["feat"] for it in items])


def make_loader(dataset, batch_size, train=True):
    sampler = DistributedSampler(dataset, shuffle=train, drop_last=train)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, collate_fn=collate, drop_last=train)


def advance(loader, epoch):
    """New order of the samples for this epoch."""
    if hasattr(loader.batch_sampler, "set_epoch"):
        loader.batch_sampler.set_epoch(epoch)
