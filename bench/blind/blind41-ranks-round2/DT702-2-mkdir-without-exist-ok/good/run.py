import os
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


class Run:
    def __init__(self, fabric, name):
        self.fabric = fabric
        self.folder = Path(os.environ.get("RUNS", "runs")) / name
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self, model, epoch):
        self.fabric.save(self.folder / f"{epoch}.ckpt", {"model": model})


def main():
    fabric = Fabric(devices=4, strategy="ddp", accelerator="cuda")
    fabric.launch()
    fabric.seed_everything(0)
    run = Run(fabric, "first")
    net = nn.Linear(5, 2)
    model, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(500, 5, generator=gen)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=10, shuffle=True, drop_last=True))
    for epoch in range(2):
        for a, b in loader:
            loss = F.cross_entropy(model(a), b)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
        run.save(model, epoch)


if __name__ == "__main__":
    main()
