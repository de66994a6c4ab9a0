import torch
import torch.nn as nn
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset

from trainer import Trainer


def main():
    fabric = Fabric(devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(5)
    x = torch.randn(512, 10, generator=torch.Generator().manual_seed(3))
    loader = DataLoader(TensorDataset(x, x.mean(1, keepdim=True)), batch_size=32, shuffle=True, drop_last=True)
    loader = fabric.setup_dataloaders(loader)
    trainer = Trainer(fabric, nn.Sequential(nn.Linear(10, 30), nn.ReLU(), nn.Linear(30, 1)), 1e-3, "means")
    for number in range(4):
        fabric.print(number, trainer.epoch(loader))
    trainer.close()
    fabric.save("last.ckpt", {"net": trainer.net, "opt": trainer.opt})


if __name__ == "__main__":
    main()
