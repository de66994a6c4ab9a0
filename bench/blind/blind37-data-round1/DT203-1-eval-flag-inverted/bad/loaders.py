from dataclasses import dataclass

from torch.utils.data import DistributedSampler
from torchdata.stateful_dataloader import StatefulDataLoader


@dataclass
class LoaderOptions:
    batch_size: int = 32
    workers: int = 4
    seed: int = 42


def replica_sampler(dataset, mesh, *, shuffle, drop_last, seed):
    return DistributedSampler(
        dataset,
        num_replicas=mesh.size(),
        rank=mesh.get_local_rank(),
        shuffle=shuffle,
        drop_last=drop_last,
        seed=seed,
    )


def training_loader(dataset, mesh, options):
    sampler = replica_sampler(dataset, mesh, shuffle=False, drop_last=True, seed=options.seed)
    return StatefulDataLoader(dataset, batch_size=options.batch_size, sampler=sampler, num_workers=options.workers, drop_last=True)


def validation_loader(dataset, mesh, options):
    sampler = replica_sampler(dataset, mesh, shuffle=False, drop_last=False, seed=options.seed)
    return StatefulDataLoader(dataset, batch_size=options.batch_size, sampler=sampler, num_workers=options.workers)
