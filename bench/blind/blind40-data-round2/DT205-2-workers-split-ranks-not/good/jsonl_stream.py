import glob
import json
import random

import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class JsonLines(IterableDataset):
    """Endless stream of (features, target) from a folder of .jsonl files."""

    def __init__(self, folder, seed=0):
        self.files = sorted(glob.glob(f"{folder}/*.jsonl"))
        self.seed = seed

    def _reader(self):
        worker = get_worker_info()
        index, count = (worker.id, worker.num_workers) if worker else (0, 1)
        return dist.get_rank() * count + index, dist.get_world_size() * count

    def __iter__(self):
        index, count = self._reader()
        turn = 0
        while True:
            order = self.files.copy()
            random.Random(self.seed + turn).shuffle(order)
            for name in order[index::count]:
                with open(name, encoding="utf-8") as lines:
                    for line in lines:
                        row = json.loads(line)
                        yield torch.tensor(row["x"]), torch.tensor(row["y"])
            turn += 1
