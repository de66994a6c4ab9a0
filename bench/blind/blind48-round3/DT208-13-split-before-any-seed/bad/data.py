import numpy as np
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, DistributedSampler, Subset


def split(ds, fraction=0.1):
    train, held_out = train_test_split(np.arange(len(ds)), test_size=fraction)
    return Subset(ds, train.tolist()), Subset(ds, held_out.tolist())


def loaders(ds, batch_size):
    train, held_out = split(ds)
    return (
        DataLoader(train, batch_size=batch_size, sampler=DistributedSampler(train, drop_last=True), drop_last=True),
        DataLoader(held_out, batch_size=batch_size, sampler=DistributedSampler(held_out, shuffle=False)),
    )
