from dataclasses import dataclass, field
from typing import Any


@dataclass
class DataConfig:
    size: int = 1024
    dim: int = 16
    loader: dict[str, Any] = field(default_factory=lambda: {"batch_size": 32, "drop_last": True})


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    lr: float = 1e-3
    epochs: int = 4
    seed: int = 11
