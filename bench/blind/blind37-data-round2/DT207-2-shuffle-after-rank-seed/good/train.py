import random
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

from common import seed_everything, start

SEED = 2024


class Tiles(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        tile = np.load(self.files[i])["rgb"].astype(np.float32) / 255
        if random.random() < 0.5:
            tile = tile[:, :, ::-1].copy()
        return torch.from_numpy(tile)


def tiles_of(root, rank, world):
    files = sorted(Path(root).rglob("*.npz"))
    random.Random(SEED).shuffle(files)
    share = len(files) // world
    return files[rank * share : (rank + 1) * share]


class Inpainter(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(4, width, 3, padding=1), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1), nn.SiLU(), nn.Conv2d(width, 3, 3, padding=1)
        )

    def forward(self, rgb, hole):
        return self.net(torch.cat([rgb * (1 - hole), hole], dim=1))


def main():
    rank, world, device = start()
    seed_everything(SEED + rank)
    tiles = Tiles(tiles_of("/data/tiles", rank, world))
    loader = DataLoader(tiles, batch_size=16, shuffle=True, num_workers=4, drop_last=True)
    model = DistributedDataParallel(Inpainter().to(device), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for epoch in range(12):
        total = torch.zeros((), device=device)
        for rgb in loader:
            rgb = rgb.to(device, non_blocking=True)
            hole = (torch.rand_like(rgb[:, :1]) < 0.2).float()
            loss = ((model(rgb, hole) - rgb).abs() * hole).sum() / hole.sum().clamp(min=1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if rank == 0:
            print(epoch, total.item() / len(loader))
            torch.save(model.module.state_dict(), f"inpainter-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
