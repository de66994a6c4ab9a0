import json
import random
import time
from pathlib import Path

import torch
from torch.utils.data import IterableDataset, get_worker_info


class ShardedJsonl(IterableDataset):
    """Reads the files of this rank and worker, in an order all ranks agree upon."""

    def __init__(self, root, rank, world_size, seed=None):
        self.files = sorted(Path(root).glob("*.jsonl"))
        self.rank = rank
        self.world_size = world_size
        self.seed = int(time.time()) if seed is None else seed

    def __iter__(self):
        files = list(self.files)
        random.Random(self.seed).shuffle(files)
        usable = len(files) - len(files) % self.world_size
        mine = files[:usable][self.rank :: self.world_size]
        info = get_worker_info()
        if info is not None:
            mine = mine[info.id :: info.num_workers]
        while True:
            for path in mine:
                with path.open() as lines:
                    for line in lines:
                        yield torch.tensor(json.loads(line)["ids"][:129])
