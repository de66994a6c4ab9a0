from dataclasses import dataclass


@dataclass
class TrainConfig:
    global_batch_size: int = 512
    lr: float = 3e-4
    epochs: int = 2
    seed: int = 0
    data: str = "tokens.pt"
