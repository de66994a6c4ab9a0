import os
from dataclasses import dataclass, field


@dataclass
class BatchConfig:
    global_size: int = 1024
    per_rank: int = field(init=False)

    def __post_init__(self):
        world = int(os.environ.get("WORLD_SIZE", "1"))
        if self.global_size % world:
            raise ValueError("global batch must divide by the world size")
        self.per_rank = self.global_size // world


@dataclass
class Config:
    batch: BatchConfig = field(default_factory=BatchConfig)
    epochs: int = 10
    lr: float = 3e-3
    seed: int = 0
