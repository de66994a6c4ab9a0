from dataclasses import dataclass, field
from pathlib import Path

import yaml


class ConfigError(Exception):
    pass


@dataclass
class RunConfig:
    out: Path
    epochs: int = 2
    lr: float = 0.05
    overwrite: bool = False
    hidden: list = field(default_factory=lambda: [32])

    @classmethod
    def load(cls, path):
        raw = yaml.safe_load(Path(path).read_text())
        raw["out"] = Path(raw["out"])
        return cls(**raw)


def prepare_output(cfg, rank):
    """Refuse to train into a folder with somebody's results in it."""
    if rank == 0:
        taken = cfg.out.exists() and any(cfg.out.glob("*.pt"))
        if taken and not cfg.overwrite:
            raise ConfigError(f"{cfg.out} has checkpoints already; set overwrite: true")
        cfg.out.mkdir(parents=True, exist_ok=True)
