import dataclasses
import json
import pathlib

import jax


@dataclasses.dataclass
class Experiment:
    root: str
    lr: float = 1e-2
    steps: int = 300
    seed: int = 0

    @property
    def folder(self):
        return pathlib.Path("/shared", self.root) / f"lr{self.lr:g}-seed{self.seed}"

    def open(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "config.json").open("w") as stream:
            json.dump(dataclasses.asdict(self), stream, indent=2)
        return self
