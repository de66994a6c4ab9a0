import glob

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class ShardStream(IterableDataset):
    def __init__(self, pattern, seed=0):
        super().__init__()
        self.paths = sorted(glob.glob(pattern))
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        paths = list(self.paths)
        np.random.default_rng(self.seed).shuffle(paths)
        if info is not None:
            paths = paths[info.id :: info.num_workers]
        for path in paths:
            with np.load(path) as shard:
                for x, y in zip(shard["x"], shard["y"]):
                    yield torch.from_numpy(x), int(y)
