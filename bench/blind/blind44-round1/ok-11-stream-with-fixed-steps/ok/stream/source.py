import itertools

import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class Endless(IterableDataset):
    def __init__(self, files, seed):
        self.files, self.seed = sorted(files), seed
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def shard(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        return self.rank * workers + worker, self.world * workers

    def order(self, epoch):
        g = torch.Generator().manual_seed(self.seed + epoch)
        return [self.files[i] for i in torch.randperm(len(self.files), generator=g).tolist()]

    def __iter__(self):
        index, count = self.shard()
        for epoch in itertools.count():
            for n, path in enumerate(self.order(epoch)):
                if n % count == index:
                    yield from torch.load(path, map_location="cpu", weights_only=True)
