import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    dim: int = 24
    classes: int = 6
    probe: bool = False


def for_rank(cfg, rank):
    if rank == 0:
        return dataclasses.replace(cfg, probe=True)
    return cfg
