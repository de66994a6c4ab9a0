from dataclasses import dataclass
from typing import Callable

from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass(frozen=True)
class Stage:
    name: str
    epochs: int
    lr: float
    loader: Callable[[Dataset], DataLoader]


def pretrain_loader(data: Dataset) -> DataLoader:
    return DataLoader(data, 32, sampler=DistributedSampler(data))


def finetune_loader(data: Dataset) -> DataLoader:
    return DataLoader(data, 8, sampler=DistributedSampler(data))


STAGES = (Stage("pretrain", 4, 1e-1, pretrain_loader), Stage("finetune", 2, 1e-2, finetune_loader))
