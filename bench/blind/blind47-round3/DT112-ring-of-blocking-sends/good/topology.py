from __future__ import annotations

from dataclasses import dataclass

import torch.distributed as dist


@dataclass(frozen=True)
class Ring:
    me: int
    size: int

    @classmethod
    def join(cls) -> Ring:
        return cls(dist.get_rank(), dist.get_world_size())

    @property
    def next(self) -> int:
        return (self.me + 1) % self.size

    @property
    def previous(self) -> int:
        return (self.me - 1) % self.size
