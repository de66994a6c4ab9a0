import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


class Denoiser(nn.Module):
    def __init__(self, dim, levels):
        super().__init__()
        self.time = nn.Embedding(levels, 64)
        self.inp = nn.Linear(dim, 64)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(t))


class Schedule:
    def __init__(self, levels, device):
        self.levels = levels
        self.alpha = torch.cumprod(1 - torch.linspace(1e-4, 0.02, levels, device=device), dim=0)

    def corrupt(self, x):
        t = torch.randint(self.levels, (len(x),), device=x.device)
        noise = torch.randn_like(x)
        a = self.alpha[t].unsqueeze(1)
        return a.sqrt() * x + (1 - a).sqrt() * noise, t, noise


def spirals(n=4096, seed=0):
    gen = torch.Generator().manual_seed(seed)
    angle = torch.rand(n, 1, generator=gen) * 9
    return TensorDataset(torch.cat([angle * angle.cos(), angle * angle.sin()], dim=1) / 9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--accelerator", default="auto")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    fabric = Fabric(accelerator=args.accelerator, devices=args.devices, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(args.seed)
    model = Denoiser(2, 200)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(spirals(), batch_size=128, shuffle=True, drop_last=True))
    schedule = Schedule(200, fabric.device)
    for epoch in range(args.epochs):
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        for (x,) in loader:
            noisy, t, noise = schedule.corrupt(x)
            loss = F.mse_loss(model(noisy, t), noise)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        fabric.print(f"epoch {epoch} done")
    fabric.save("denoiser.ckpt", {"model": model})


if __name__ == "__main__":
    main()
