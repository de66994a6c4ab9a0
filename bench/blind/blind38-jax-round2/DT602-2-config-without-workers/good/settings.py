from dataclasses import asdict, dataclass, field


@dataclass
class LoaderSettings:
    batch_size: int = 64
    num_workers: int = 2
    persistent_workers: bool = True
    pin_memory: bool = False
    drop_last: bool = True


@dataclass
class Settings:
    epochs: int = 3
    lr: float = 1e-3
    loader: LoaderSettings = field(default_factory=LoaderSettings)

    def loader_arguments(self):
        return asdict(self.loader)
