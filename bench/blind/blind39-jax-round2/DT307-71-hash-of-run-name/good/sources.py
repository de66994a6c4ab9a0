import random
import zlib
from pathlib import Path

import torch
from torch.utils.data import IterableDataset, get_worker_info


class ShardStream(IterableDataset):
    def __init__(self, folder, run_name, rank, world):
        self.paths = sorted(Path(folder).glob("shard-*.pt"))
        self.run_name = run_name
        self.rank, self.world = rank, world
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        paths = list(self.paths)
        random.Random(zlib.crc32(f"{self.run_name}/{self.epoch}".encode())).shuffle(paths)
        usable = len(paths) - len(paths) % (self.world * workers)
        for path in paths[self.rank * workers + worker : usable : self.world * workers]:
            yield from torch.load(path, map_location="cpu")
