import dataclasses

import torch
from torch.utils.data import DataLoader, DistributedSampler


@dataclasses.dataclass
class LoaderConfig:
    batch_size: int = 16
    num_workers: int = 0
    prefetch: int = 4
    pin: bool = dataclasses.field(default_factory=torch.cuda.is_available)


def make_loader(dataset, cfg: LoaderConfig):
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    options = {"pin_memory": cfg.pin, "drop_last": True}
    if cfg.num_workers > 0:
        options |= {"persistent_workers": True, "prefetch_factor": cfg.prefetch}
    return DataLoader(dataset, cfg.batch_size, sampler=sampler, num_workers=cfg.num_workers, **options), sampler
