"""Trains on standardised rows; the statistics are read by rank 0 and broadcast."""
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

FEATURES = 32


def statistics(path):
    """Mean and deviation per feature, as one (2, FEATURES) tensor on all ranks."""
    if dist.get_rank() == 0:
        table = np.load(path)
        both = np.stack([table["mean"].astype(np.float64), table["std"].astype(np.float64)])
        stats = torch.from_numpy(both)
    else:
        stats = torch.empty(2, FEATURES)
    dist.broadcast(stats, src=0)
    return stats.float()


def rows(path, stats):
    blob = torch.load(path, map_location="cpu", weights_only=True)
    return TensorDataset((blob["x"] - stats[0]) / stats[1].clamp(min=1e-6), blob["y"])


def main(epochs=10):
    dist.init_process_group("gloo")
    folder = os.environ.get("TABLE_DIR", "table")
    data = rows(f"{folder}/rows.pt", statistics(f"{folder}/stats.npz"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.huber_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), f"{folder}/model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
