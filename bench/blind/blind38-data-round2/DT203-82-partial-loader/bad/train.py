"""Depth estimation; one partial holds what all loaders have in common."""
import functools
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Depth(Dataset):
    def __init__(self, root, names):
        self.root = Path(root)
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        pair = torch.load(self.root / self.names[index], map_location="cpu", weights_only=True)
        return pair["rgb"].float() / 255, pair["depth"]


make_loader = functools.partial(
    DataLoader, batch_size=8, shuffle=True, num_workers=6, pin_memory=True, drop_last=True, persistent_workers=True
)


def silog(prediction, target):
    valid = target > 0
    difference = prediction[valid].clamp_min(1e-3).log() - target[valid].log()
    return (difference.pow(2).mean() - 0.85 * difference.mean().pow(2)).clamp_min(1e-9).sqrt()


def decoder():
    return nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 1), nn.Softplus()
    )


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)

    root = Path("/data/depth")
    names = (root / "train.txt").read_text().split()
    rows = Depth(root, names)
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = make_loader(rows, sampler=sampler)

    model = DDP(decoder().to(device), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for epoch in range(25):
        sampler.set_epoch(epoch)
        for rgb, depth in loader:
            loss = silog(model(rgb.to(device, non_blocking=True)).squeeze(1), depth.to(device, non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "depth.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
