from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    micro_batch: int = 8
    accumulate: int = 4
    lr: float = 1e-3
    epochs: int = 2
    precision: str = "no"
