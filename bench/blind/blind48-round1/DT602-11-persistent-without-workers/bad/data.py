from torch.utils.data import DataLoader, DistributedSampler


def make_loader(ds, cfg, train):
    sampler = DistributedSampler(ds, shuffle=train, drop_last=train)
    return DataLoader(
        ds,
        batch_size=cfg["batch_size"],
        sampler=sampler,
        num_workers=cfg["workers"],
        persistent_workers=True,
        drop_last=train,
    )
