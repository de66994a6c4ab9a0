import csv
import pathlib

import torch
from torch.utils.data import IterableDataset, get_worker_info


class CsvRows(IterableDataset):
    def __init__(self, folder, rank, world):
        self.files = sorted(pathlib.Path(folder).glob("*.csv"))
        self.rank, self.world = rank, world

    def rows(self, files):
        for path in files:
            with path.open(newline="") as handle:
                for row in csv.reader(handle):
                    yield torch.tensor([float(v) for v in row])

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        mine = self.files[self.rank * workers + worker :: self.world * workers]
        while True:
            yield from self.rows(mine)
