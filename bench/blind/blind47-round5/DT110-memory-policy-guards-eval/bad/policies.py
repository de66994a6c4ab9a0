from dataclasses import dataclass
from typing import Protocol

import torch


class Policy(Protocol):
    def allows(self, step: int) -> bool: ...


@dataclass(frozen=True)
class Every:
    steps: int

    def allows(self, step):
        return step % self.steps == 0


@dataclass(frozen=True)
class EnoughMemory:
    need: int = 2 << 30

    def allows(self, step):
        free, _ = torch.cuda.mem_get_info()
        return free > self.need


@dataclass(frozen=True)
class All:
    parts: tuple

    def allows(self, step):
        return all(part.allows(step) for part in self.parts)
