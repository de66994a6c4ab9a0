import logging
import os

import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from evaluation import Evaluator


def main():
    logging.basicConfig(level=logging.INFO)
    fabric = Fabric(accelerator="auto", devices=int(os.environ.get("DEVICES", "2")), strategy="ddp")
    fabric.launch()
    fabric.seed_everything(1)
    g = torch.Generator().manual_seed(4)
    full = TensorDataset(torch.randn(320, 9, generator=g), torch.randint(0, 3, (320,), generator=g))
    train, test = random_split(full, [256, 64], generator=torch.Generator().manual_seed(5))
    model = nn.Sequential(nn.Linear(9, 27), nn.SiLU(), nn.Linear(27, 3))
    model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters()))
    train_loader, test_loader = fabric.setup_dataloaders(
        DataLoader(train, batch_size=16, shuffle=True, drop_last=True), DataLoader(test, batch_size=16)
    )
    evaluate = Evaluator(fabric, 3)
    for epoch in range(2):
        if hasattr(train_loader.sampler, "set_epoch"):
            train_loader.sampler.set_epoch(epoch)
        for inputs, labels in train_loader:
            optimizer.zero_grad()
            fabric.backward(nn.functional.cross_entropy(model(inputs), labels))
            optimizer.step()
        evaluate(model, test_loader, epoch)
    fabric.barrier()


if __name__ == "__main__":
    main()
