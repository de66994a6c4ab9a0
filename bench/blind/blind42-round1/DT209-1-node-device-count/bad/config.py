from dataclasses import dataclass


@dataclass
class TrainConfig:
    global_batch_size: int = 1024
    lr: float = 3e-3
    epochs: int = 90
    data: str = "/data/places365"
    workers: int = 6
