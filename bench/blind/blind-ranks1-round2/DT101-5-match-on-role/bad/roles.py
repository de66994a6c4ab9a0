import enum
from dataclasses import dataclass

import torch.distributed as dist


class Role(enum.Enum):
    WRITER = "writer"
    TRAINER = "trainer"


@dataclass(frozen=True)
class Member:
    rank: int
    world: int

    @classmethod
    def current(cls):
        return cls(dist.get_rank(), dist.get_world_size())

    @property
    def role(self):
        return Role.WRITER if self.rank == self.world - 1 else Role.TRAINER
