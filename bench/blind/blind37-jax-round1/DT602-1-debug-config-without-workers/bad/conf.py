from dataclasses import dataclass, field, replace


@dataclass
class LoaderConfig:
    batch_size: int = 64
    num_workers: int = 8

    def kwargs(self):
        chosen = {"batch_size": self.batch_size, "num_workers": self.num_workers, "drop_last": True}
        chosen.update(prefetch_factor=4, persistent_workers=True)
        return chosen


@dataclass
class Config:
    epochs: int = 5
    lr: float = 3e-4
    loader: LoaderConfig = field(default_factory=LoaderConfig)


def debug(config):
    return replace(config, epochs=1, loader=replace(config.loader, batch_size=4, num_workers=0))
