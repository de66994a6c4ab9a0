import dataclasses

from torch.utils.data import DataLoader, DistributedSampler


@dataclasses.dataclass
class Loading:
    batch: int = 32
    workers: int = 8
    patience: float = 120.0  # seconds to wait for a worker


def train_loader(data, how):
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data, how.batch, sampler=sampler, num_workers=how.workers, timeout=how.patience, drop_last=True
    )
    return sampler, loader


def held_out_loader(data, how):
    """Small and rarely read: loaded in this process."""
    return DataLoader(data, how.batch, sampler=DistributedSampler(data, shuffle=False), num_workers=0)
