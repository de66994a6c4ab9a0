import json
import pathlib
import random

import torch
from torch.utils.data import IterableDataset, get_worker_info


class ShardReader(IterableDataset):
    def __init__(self, root, rank, world, seed=0):
        files = sorted(pathlib.Path(root).glob("shard_*.jsonl"))
        random.Random(seed).shuffle(files)
        share = len(files) // world
        self.files = files[rank * share : (rank + 1) * share]
        self.rank, self.seed = rank, seed

    def _mine(self):
        worker = get_worker_info()
        if worker is None:
            return self.files, 0
        return self.files[worker.id :: worker.num_workers], worker.id

    def __iter__(self):
        files, worker = self._mine()
        rng = random.Random(f"{self.seed}/{self.rank}/{worker}")
        while True:
            for path in rng.sample(files, len(files)):
                for line in path.read_text().splitlines():
                    row = json.loads(line)
                    yield torch.tensor(row["features"]), float(row["label"])
