from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    widths: tuple = (32, 64, 128)
    classes: int = 10
    norm_momentum: float = 0.9
    norm_axis: str = "batch"


@dataclass(frozen=True)
class TrainConfig:
    model: ModelConfig = ModelConfig()
    batch: int = 128
    epochs: int = 3
    lr: float = 0.1
