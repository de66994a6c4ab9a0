import argparse

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def get_data(seed, rows):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(rows, 6, generator=g)
    return TensorDataset(x, (x * x).sum(1, keepdim=True))


class Probe(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, hidden), nn.ELU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.body(x)


@torch.no_grad()
def validate(fabric, model, loader, limit):
    fabric.print("validating ...")
    model.eval()
    losses = torch.zeros(limit, device=fabric.device)
    for index, (x, y) in enumerate(loader):
        if index == limit:
            break
        losses[index] = F.mse_loss(model(x), y)
    model.train()
    return losses.mean()


def train(fabric, args):
    fabric.seed_everything(args.seed)
    model = Probe()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    model, optimizer = fabric.setup(model, optimizer)
    train_loader = DataLoader(get_data(0, 512), batch_size=args.batch, shuffle=True, drop_last=True)
    val_loader = DataLoader(get_data(1, 256), batch_size=args.batch)
    train_loader, val_loader = fabric.setup_dataloaders(train_loader, val_loader)
    for epoch in range(args.epochs):
        for x, y in train_loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        val_loss = validate(fabric, model, val_loader, limit=4)
        fabric.print(f"epoch {epoch} val_loss {val_loss.item():.4f}")
        fabric.log_dict({"val_loss": val_loss, "epoch": epoch})
    fabric.save(args.out, {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--out", default="probe.ckpt")
    options = parser.parse_args()
    runtime = L.Fabric(accelerator="cpu", devices=options.devices, strategy="ddp")
    runtime.launch()
    train(runtime, options)
