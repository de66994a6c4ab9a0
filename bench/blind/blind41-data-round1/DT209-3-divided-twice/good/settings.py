import os
from dataclasses import dataclass


@dataclass
class Settings:
    total_batch: int = 256
    lr: float = 1e-3
    epochs: int = 3

    @property
    def batch_per_process(self):
        return self.total_batch // int(os.environ["WORLD_SIZE"])
