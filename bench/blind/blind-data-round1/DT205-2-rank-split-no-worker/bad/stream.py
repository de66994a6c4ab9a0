import json
from pathlib import Path

import torch
from torch.utils.data import IterableDataset


class LineStream(IterableDataset):
    """One JSON row per line; subclasses say what a row becomes."""

    def __init__(self, folder, rank, world):
        self.files = sorted(Path(folder).glob("*.jsonl"))
        self.rank, self.world = rank, world

    def parse(self, line):
        raise NotImplementedError

    def _share(self):
        return self.rank, self.world

    def _lines(self):
        for path in self.files:
            with path.open() as handle:
                yield from handle

    def __iter__(self):
        mine, count = self._share()
        for number, line in enumerate(self._lines()):
            if number % count == mine:
                yield self.parse(line)


class Prices(LineStream):
    def parse(self, line):
        row = json.loads(line)
        return torch.tensor(row["window"]), torch.tensor(row["next"])
