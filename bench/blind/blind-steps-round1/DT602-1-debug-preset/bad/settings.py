from dataclasses import dataclass, field


@dataclass
class LoaderSettings:
    batch_size: int = 32
    workers: int = 0
    prefetch: int = 4


@dataclass
class Settings:
    epochs: int = 2
    lr: float = 1e-3
    loader: LoaderSettings = field(default_factory=LoaderSettings)
