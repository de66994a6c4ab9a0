"""Graph-ish regression with a loss that raises on degenerate input."""
import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("fit")


class Procrustes(nn.Module):
    """Distance after the best rotation."""

    def forward(self, a, b):
        u, s, v = torch.linalg.svd(a.transpose(1, 2) @ b)
        if (s[:, -1] < 1e-6).any():
            raise ValueError("degenerate point set")
        return (a @ (u @ v) - b).square().sum(-1).mean()


class Mover(nn.Module):
    def __init__(self, points=32):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(3 * points, 256), nn.GELU(), nn.Linear(256, 3 * points))
        self.points = points

    def forward(self, x):
        return x + self.net(x).view(-1, self.points, 3)


def train(model, criterion, optimizer, loader, device):
    for number, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("clouds.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DDP(Mover().to(device), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        train(model, Procrustes(), optimizer, loader, device)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "mover.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
