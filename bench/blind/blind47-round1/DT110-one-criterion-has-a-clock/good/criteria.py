import time
from dataclasses import dataclass, field
from typing import Protocol, Sequence

import torch
import torch.distributed as dist


@dataclass
class Snapshot:
    step: int
    loss: float


class Criterion(Protocol):
    def met(self, now: Snapshot) -> bool: ...


@dataclass(frozen=True)
class MaxSteps:
    limit: int

    def met(self, now: Snapshot) -> bool:
        return now.step >= self.limit


@dataclass(frozen=True)
class LossBelow:
    target: float

    def met(self, now: Snapshot) -> bool:
        return now.loss < self.target


@dataclass(frozen=True)
class Budget:
    seconds: float
    begun: float = field(default_factory=time.monotonic)

    def met(self, now: Snapshot) -> bool:
        return time.monotonic() - self.begun > self.seconds


def stop(criteria: Sequence[Criterion], now: Snapshot) -> bool:
    flag = torch.tensor(float(any(c.met(now) for c in criteria)))
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag.item())
