import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from lightning.fabric.strategies import FSDPStrategy
from torch.utils.data import DataLoader, TensorDataset


@torch.no_grad()
def validate(fabric, model, loader):
    model.eval()
    total, seen = 0.0, 0
    for x, y in loader:
        total += F.mse_loss(model(x), y, reduction="sum").item()
        seen += y.numel()
    model.train()
    pair = fabric.all_reduce(torch.tensor([total, float(seen)], device=fabric.device), reduce_op="sum")
    return (pair[0] / pair[1]).item()


def part(seed, n):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 40, generator=gen)
    return TensorDataset(x, x.tanh())


def main():
    fabric = Fabric(accelerator="cuda", devices=4, strategy=FSDPStrategy())
    fabric.launch()
    fabric.seed_everything(1)
    net = nn.Sequential(nn.Linear(40, 400), nn.ReLU(), nn.Linear(400, 40))
    model = fabric.setup_module(net)
    opt = fabric.setup_optimizers(torch.optim.Adam(model.parameters()))
    train, valid = fabric.setup_dataloaders(
        DataLoader(part(1, 4000), batch_size=40, shuffle=True, drop_last=True), DataLoader(part(2, 400), batch_size=40)
    )
    best = float("inf")
    for epoch in range(10):
        for x, y in train:
            loss = F.mse_loss(model(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
        value = validate(fabric, model, valid)
        if value < best:
            best = value
            fabric.save(f"best-{epoch}", {"model": model, "optimizer": opt})


if __name__ == "__main__":
    main()
