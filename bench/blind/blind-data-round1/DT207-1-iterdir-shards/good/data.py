from pathlib import Path

import torch
from torch.utils.data import IterableDataset, get_worker_info


def find_shards(root):
    return sorted(p for p in Path(root).iterdir() if p.suffix == ".pt")


class ShardStream(IterableDataset):
    def __init__(self, root, rank, world, batches_per_epoch):
        super().__init__()
        shards = find_shards(root)
        assert len(shards) % world == 0, "make the shard count a multiple of the world size"
        self.shards = shards[rank::world]
        self.batches = batches_per_epoch
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        mine = self.shards if info is None else self.shards[info.id :: info.num_workers]
        generator = torch.Generator().manual_seed(self.epoch)
        made = 0
        while True:
            for i in torch.randperm(len(mine), generator=generator).tolist():
                for row in torch.load(mine[i], map_location="cpu", weights_only=True):
                    yield row
                    made += 1
                    if made == self.batches:
                        return
