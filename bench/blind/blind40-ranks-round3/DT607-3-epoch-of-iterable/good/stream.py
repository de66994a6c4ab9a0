import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class ShuffledStream(IterableDataset):
    def __init__(self, count, dim, seed=0):
        self.count, self.dim, self.seed = count, dim, seed
        self.epoch = 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        part, parts = (info.id, info.num_workers) if info else (0, 1)
        order = torch.randperm(self.count, generator=torch.Generator().manual_seed(self.seed + self.epoch))
        stride = self.world * parts
        usable = self.count - self.count % stride
        for index in order[:usable][self.rank * parts + part :: stride].tolist():
            row = torch.randn(self.dim, generator=torch.Generator().manual_seed(index))
            yield row, row.sum().reshape(1)
