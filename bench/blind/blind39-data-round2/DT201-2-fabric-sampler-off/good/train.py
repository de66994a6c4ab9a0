from dataclasses import dataclass

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass(frozen=True)
class Settings:
    devices: int = 4
    epochs: int = 6
    batch_size: int = 32
    lr: float = 3e-4


class Trajectories(Dataset):
    def __init__(self, count=4096, steps=24):
        gen = torch.Generator().manual_seed(123)
        start = torch.randn(count, 1, 2, generator=gen)
        speed = torch.randn(count, 1, 2, generator=gen) * 0.1
        self.paths = start + speed * torch.arange(steps).reshape(1, -1, 1)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.paths[i, :-1], self.paths[i, 1:]


class Forecaster(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.cell = nn.GRU(2, width, batch_first=True)
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        hidden, _ = self.cell(x)
        return self.out(hidden)


def train(fabric, settings):
    torch.manual_seed(7)
    model = Forecaster()
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    model, optimizer = fabric.setup(model, optimizer)
    data = Trajectories()
    sampler = DistributedSampler(data, fabric.world_size, fabric.global_rank, drop_last=True)
    loader = DataLoader(data, batch_size=settings.batch_size, sampler=sampler, drop_last=True, num_workers=2)
    batches = fabric.setup_dataloaders(loader, use_distributed_sampler=False)
    for epoch in range(settings.epochs):
        sampler.set_epoch(epoch)
        for past, future in batches:
            optimizer.zero_grad()
            loss = F.mse_loss(model(past), future)
            fabric.backward(loss)
            optimizer.step()
        mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
        fabric.print(f"epoch {epoch}: {mean.item():.4f}")
    fabric.save("forecaster.ckpt", {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    settings = Settings()
    fabric = L.Fabric(accelerator="gpu", devices=settings.devices, strategy="ddp")
    fabric.launch()
    train(fabric, settings)
