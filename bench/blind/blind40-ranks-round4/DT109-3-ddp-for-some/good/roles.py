import dataclasses
import os

import torch.distributed as dist


@dataclasses.dataclass
class Role:
    rank: int
    world: int
    learners: int

    @classmethod
    def from_env(cls):
        dist.init_process_group("gloo")
        return cls(dist.get_rank(), dist.get_world_size(), int(os.environ.get("LEARNERS", "2")))

    @property
    def learns(self):
        return self.rank < self.learners
