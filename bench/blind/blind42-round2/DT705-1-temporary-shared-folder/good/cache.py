"""Rank 0 standardises the table once; all ranks map the result."""
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Table(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = torch.from_numpy(self.rows[i].copy())
        return row[:-1], row[-1:]


def prepared(source):
    folder = [tempfile.mkdtemp(prefix="table_", dir=os.environ.get("SHARED_TMP")) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(folder, src=0)
    folder = Path(folder[0])
    target = folder / "standard.npy"
    if dist.get_rank() == 0:
        rows = np.load(source).astype(np.float32)
        np.save(target, (rows - rows.mean(0)) / rows.std(0))
    dist.barrier()
    return Table(target)


def main(epochs=10):
    dist.init_process_group("gloo")
    table = prepared(os.environ["TABLE"])
    sampler = DistributedSampler(table, drop_last=True)
    loader = DataLoader(table, 256, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(30, 100), nn.ReLU(), nn.Linear(100, 1)))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "table_net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
