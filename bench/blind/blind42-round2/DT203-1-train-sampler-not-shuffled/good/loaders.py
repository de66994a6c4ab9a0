from torch.utils.data import DataLoader, DistributedSampler


def distributed_loader(dataset, batch_size, *, training, workers=4):
    sampler = DistributedSampler(dataset, shuffle=training, drop_last=training)
    return DataLoader(
        dataset,
        batch_size=batch_size,
        sampler=sampler,
        num_workers=workers,
        pin_memory=True,
        drop_last=training,
        persistent_workers=workers > 0,
    )
