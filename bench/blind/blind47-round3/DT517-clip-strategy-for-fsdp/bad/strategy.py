from abc import ABC, abstractmethod

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Clip(ABC):
    def __init__(self, limit: float):
        self.limit = limit

    @abstractmethod
    def __call__(self, model): ...


class ClipLocal(Clip):
    def __call__(self, model):
        return torch.nn.utils.clip_grad_norm_(model.parameters(), self.limit)


class ClipSharded(Clip):
    def __call__(self, model):
        return model.clip_grad_norm_(self.limit)


def choose(model, limit):
    return ClipSharded(limit) if type(model).__name__ == "FSDP" else ClipLocal(limit)
