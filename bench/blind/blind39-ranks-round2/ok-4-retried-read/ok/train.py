import functools
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


def retry(fn):
    @functools.wraps(fn)
    def inner(*args):
        for pause in (0.1, 1.0, 5.0):
            try:
                return fn(*args)
            except OSError:
                time.sleep(pause)
        return fn(*args)

    return inner


@retry
def read(path):
    return np.load(path)


class Shards(Dataset):
    def __init__(self, root, count=8, rows=64):
        self.root, self.count, self.rows = Path(root), count, rows

    def __len__(self):
        return self.count * self.rows

    def __getitem__(self, i):
        shard = read(self.root / f"{i // self.rows}.npy")
        return torch.from_numpy(shard[i % self.rows]).float()


def prepare(root, rank):
    if rank == 0:
        Path(root).mkdir(exist_ok=True)
        rng = np.random.default_rng(0)
        for i in range(8):
            np.save(Path(root) / f"{i}.npy", rng.normal(size=(64, 15)))
    dist.barrier()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    prepare("shards", dist.get_rank())
    torch.manual_seed(0)
    model = DDP(nn.Linear(15, 15).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = Shards("shards")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x in loader:
            x = x.to(device)
            optimizer.zero_grad()
            (model(x) - x).abs().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
