from torch.utils.data import DataLoader, DistributedSampler

COMMON = dict(pin_memory=True, persistent_workers=True)


def train_loader(data, batch_size, workers=6):
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size, sampler=sampler, num_workers=workers, drop_last=True, **COMMON), sampler


def valid_loader(data, batch_size):
    """The validation set is in memory, workers would only cost time."""
    sampler = DistributedSampler(data, shuffle=False)
    return DataLoader(data, batch_size, sampler=sampler, num_workers=0, **{**COMMON, "persistent_workers": False})
