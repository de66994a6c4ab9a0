import random

import pyarrow.parquet as pq
import torch
from torch.utils.data import IterableDataset, get_worker_info


class ParquetStream(IterableDataset):
    """Endless rows of a folder of parquet files; files are re-ordered on each pass with one seed."""

    def __init__(self, paths, columns, rank, world_size, seed=0):
        super().__init__()
        self.paths = sorted(paths)
        self.columns = columns
        self.rank = rank
        self.world_size = world_size
        self.seed = seed

    def _mine(self, order):
        info = get_worker_info()
        workers = 1 if info is None else info.num_workers
        worker = 0 if info is None else info.id
        slot = self.rank * workers + worker
        slots = self.world_size * workers
        return [path for i, path in enumerate(order) if i % slots == slot]

    def __iter__(self):
        turn = 0
        while True:
            order = list(self.paths)
            random.Random(self.seed + turn).shuffle(order)
            for path in self._mine(order):
                table = pq.read_table(path, columns=self.columns)
                for row in table.to_pylist():
                    yield torch.tensor([float(row[c]) for c in self.columns])
            turn += 1
