import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Spectrograms(IterableDataset):
    """Goes round and round over its shards."""

    def __init__(self, shards):
        self.shards = list(shards)

    def __iter__(self):
        while True:
            for shard in self.shards:
                with np.load(shard) as held:
                    for x, y in zip(held["x"], held["y"]):
                        yield torch.from_numpy(x), int(y)


def split_shards(worker_id):
    info = get_worker_info()
    info.dataset.shards = info.dataset.shards[worker_id :: info.num_workers]


class Tagger(nn.Module):
    def __init__(self, classes=50):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 32, 3, 2), nn.ReLU(), nn.Conv2d(32, 64, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.out = nn.Linear(64, classes)

    def forward(self, x):
        return self.out(self.conv(x.unsqueeze(1)).flatten(1))


def main(steps=20_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = Spectrograms(sorted(Path("/data/spec").glob("*.npz")))
    loader = DataLoader(data, batch_size=64, num_workers=6, worker_init_fn=split_shards)
    model = DDP(Tagger().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for step, (x, y) in enumerate(loader):
        if step == steps:
            break
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "tagger.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
