import dataclasses


@dataclasses.dataclass
class TrainConfig:
    axis: str = "batch"
    lr: float = 1e-3
    width: int = 64
    steps: int = 100
