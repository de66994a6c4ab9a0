from dataclasses import dataclass, field


@dataclass
class LoaderConfig:
    batch: int = 16
    workers: int = 2


@dataclass
class Config:
    labelled: LoaderConfig = field(default_factory=LoaderConfig)
    unlabelled: LoaderConfig = field(default_factory=lambda: LoaderConfig(batch=48))
    epochs: int = 3
    weight: float = 0.5
    seed: int = 42
