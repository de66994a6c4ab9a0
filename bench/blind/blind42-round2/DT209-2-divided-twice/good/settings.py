import os
from dataclasses import dataclass


@dataclass
class Settings:
    global_batch: int = 512
    epochs: int = 12
    lr: float = 1e-3

    @property
    def world(self):
        return int(os.environ.get("WORLD_SIZE", "1"))

    @property
    def batch_size(self):
        """Samples of one rank in one step."""
        assert self.global_batch % self.world == 0
        return self.global_batch // self.world
