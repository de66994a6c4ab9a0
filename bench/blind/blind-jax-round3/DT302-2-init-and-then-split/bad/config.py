import dataclasses


@dataclasses.dataclass
class Config:
    seed: int = 0
    steps: int = 12
    batch: int = 32
    noise: float = 0.1
    lr: float = 1e-3
