from dataclasses import dataclass


@dataclass
class Args:
    out: str = "out"
    epochs: int = 3
    batch: int = 16
    accumulate: int = 4
    save_every: int = 20
    lr: float = 5e-4
