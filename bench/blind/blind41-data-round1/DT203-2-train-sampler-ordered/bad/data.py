from torch.utils.data import DataLoader, DistributedSampler


def sharded(dataset, rank, world, *, shuffle=False, drop_last=False):
    return DistributedSampler(dataset, num_replicas=world, rank=rank, shuffle=shuffle, drop_last=drop_last)


def build_loaders(train_set, valid_set, rank, world, batch_size):
    train_sampler = sharded(train_set, rank, world, drop_last=True)
    valid_sampler = sharded(valid_set, rank, world)
    train = DataLoader(train_set, batch_size, sampler=train_sampler, num_workers=2)
    valid = DataLoader(valid_set, batch_size, sampler=valid_sampler)
    return train, valid
