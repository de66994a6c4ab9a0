import os
from functools import cached_property

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset


class ScanVolumes(Dataset):
    def __init__(self, root, rank, world_size):
        self.root = root
        self.rank = rank
        self.world_size = world_size

    @cached_property
    def files(self):
        found = sorted(e.path for e in os.scandir(self.root) if e.is_file() and e.name.endswith(".npy"))
        per_rank = len(found) // self.world_size
        start = self.rank * per_rank
        return found[start : start + per_rank]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        volume = torch.from_numpy(np.load(self.files[index])).float()
        return volume[:1], volume[1:2]


class Denoiser(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv3d(1, width, 3, padding=1), nn.ReLU(), nn.Conv3d(width, width, 3, padding=1), nn.ReLU()
        )
        self.tail = nn.Conv3d(width, 1, 3, padding=1)

    def forward(self, x):
        return x + self.tail(self.body(x))


def train(model, loader, opt, device):
    for noisy, clean in loader:
        opt.zero_grad(set_to_none=True)
        loss = F.l1_loss(model(noisy.to(device)), clean.to(device))
        loss.backward()
        opt.step()


def main(root="/mnt/scans/train", epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(42)
    device = torch.device("cuda", local_rank)
    data = ScanVolumes(root, dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_size=2, shuffle=True, drop_last=True, num_workers=4, persistent_workers=True)
    model = DDP(Denoiser().to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for epoch in range(epochs):
        train(model, loader, opt, device)
        if dist.get_rank() == 0 and (epoch + 1) % 5 == 0:
            torch.save({"model": model.module.state_dict(), "epoch": epoch}, f"denoiser_{epoch + 1:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
