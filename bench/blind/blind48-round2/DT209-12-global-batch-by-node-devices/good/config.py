from dataclasses import dataclass


@dataclass
class Config:
    global_batch: int = 256
    epochs: int = 2
    lr: float = 1e-3
