from dataclasses import dataclass

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Options:
    rows: int = 500
    held_out: float = 0.2
    batch: int = 20
    epochs: int = 2
    seed: int = 99


def pieces(options):
    x = torch.randn(options.rows, 5, generator=torch.Generator().manual_seed(0))
    whole = TensorDataset(x, x.sum(1).sin())
    count = int(options.rows * options.held_out)
    return random_split(whole, [options.rows - count, count])


def evaluate(fabric, model, loader):
    total = torch.zeros(2, device=fabric.device)
    with torch.no_grad():
        for x, y in loader:
            total += torch.stack([F.mse_loss(model(x)[:, 0], y, reduction="sum"), y.new_tensor(len(y))])
    total = fabric.all_reduce(total, reduce_op="sum")
    return (total[0] / total[1]).item()


def main():
    options = Options()
    fabric = L.Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    train_set, valid_set = pieces(options)
    train_loader = DataLoader(train_set, batch_size=options.batch, shuffle=True, drop_last=True)
    valid_loader = DataLoader(valid_set, batch_size=options.batch)
    train_loader, valid_loader = fabric.setup_dataloaders(train_loader, valid_loader)
    with fabric.init_module():
        net = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
    model, optimizer = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=1e-2))
    for epoch in range(options.epochs):
        for x, y in train_loader:
            loss = F.mse_loss(model(x)[:, 0], y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        error = evaluate(fabric, model, valid_loader)
        fabric.print(f"epoch {epoch}: {error:.4f}")


if __name__ == "__main__":
    main()
