import dataclasses
import pathlib

import jax
import numpy as np


@dataclasses.dataclass
class Reader:
    root: pathlib.Path
    batch: int
    shard_index: int | None = None
    shard_count: int | None = None

    def __post_init__(self):
        self.shard_index = self.shard_index or jax.process_index()
        self.shard_count = self.shard_count or jax.process_count()

    def __iter__(self):
        files = sorted(self.root.glob("*.npy"))
        files = files[: len(files) // self.shard_count * self.shard_count]
        draw = np.random.default_rng(self.shard_index)
        while True:
            for path in files[self.shard_index :: self.shard_count]:
                rows = np.load(path)
                rows = rows[draw.permutation(len(rows))]
                for start in range(0, len(rows) - self.batch + 1, self.batch):
                    yield rows[start : start + self.batch]
