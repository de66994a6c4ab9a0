import os
from dataclasses import dataclass, field


@dataclass
class BatchConfig:
    """global_size is what the paper reports; the rest follows from the launch."""

    global_size: int = 2048
    accumulate: int = 2
    per_rank: int = field(init=False)

    def __post_init__(self):
        world = int(os.environ.get("WORLD_SIZE", "1"))
        self.per_rank, rest = divmod(self.global_size, world * self.accumulate)
        if rest:
            raise ValueError(f"{self.global_size} does not divide by {world} ranks x {self.accumulate} micro-steps")


@dataclass
class Config:
    batch: BatchConfig = field(default_factory=BatchConfig)
    epochs: int = 90
    lr: float = 3.2
    seed: int = 1
    root: str = "/data/features"
