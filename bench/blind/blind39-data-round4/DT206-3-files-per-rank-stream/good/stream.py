import itertools
from pathlib import Path

import pyarrow.parquet as pq
import torch
from torch.utils.data import IterableDataset, get_worker_info


class ParquetRows(IterableDataset):
    def __init__(self, folder, rank, world_size, forever=False):
        self.files = sorted(Path(folder).glob("*.parquet"))[rank::world_size]
        self.forever = forever

    def _once(self):
        info = get_worker_info()
        files = self.files if info is None else self.files[info.id :: info.num_workers]
        for path in files:
            for batch in pq.ParquetFile(path).iter_batches(batch_size=1024):
                for row in batch.to_pylist():
                    yield torch.tensor(row["features"]), torch.tensor(row["target"])

    def __iter__(self):
        if not self.forever:
            return self._once()
        return itertools.chain.from_iterable(self._once() for _ in itertools.count())
