import os
from dataclasses import dataclass


@dataclass
class TrainConfig:
    global_batch_size: int = 256
    lr: float = 3e-4
    epochs: int = 2

    @property
    def world_size(self):
        return int(os.environ.get("WORLD_SIZE", "1"))

    @property
    def per_rank_batch_size(self):
        return self.global_batch_size // self.world_size
