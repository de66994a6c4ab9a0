from torch.utils.data import DataLoader, DistributedSampler

from opt.defaults import merged


def make(dataset, split):
    train = split == "train"
    sampler = DistributedSampler(dataset, shuffle=train, drop_last=train)
    options = merged(split, sampler=sampler, shuffle=None)
    return DataLoader(dataset, **options)
