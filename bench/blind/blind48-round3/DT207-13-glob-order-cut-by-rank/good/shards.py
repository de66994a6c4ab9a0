from pathlib import Path

import torch
from torch.utils.data import IterableDataset, get_worker_info


class TensorShards(IterableDataset):
    def __init__(self, folder, rank, world, seed=0):
        self.files = sorted(p for p in Path(folder).glob("*.pt") if p.stat().st_size > 0)
        self.rank, self.world = rank, world
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        gen = torch.Generator().manual_seed(self.seed + self.epoch)
        while True:
            order = torch.randperm(len(self.files), generator=gen).tolist()
            for i in order[self.rank * workers + worker :: self.world * workers]:
                for row in torch.load(self.files[i], map_location="cpu"):
                    yield row, row.sum()[None]
