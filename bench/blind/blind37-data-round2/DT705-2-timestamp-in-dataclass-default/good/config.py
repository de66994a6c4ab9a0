from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


def stamp():
    return datetime.now().strftime("%Y%m%d-%H%M%S")


@dataclass
class RunConfig:
    root: Path = Path("/shared/runs")
    name: str = "baseline"
    steps: int = 4000
    save_every: int = 500
    lr: float = 1e-3

    @property
    def folder(self):
        return self.root / self.name
