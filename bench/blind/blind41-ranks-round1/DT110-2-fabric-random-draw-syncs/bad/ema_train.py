import copy
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


class Average:
    def __init__(self, model, decay=0.99):
        self.shadow = copy.deepcopy(model)
        self.decay = decay
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for mine, theirs in zip(self.shadow.parameters(), model.parameters()):
            mine.lerp_(theirs, 1 - self.decay)

    @torch.no_grad()
    def synchronise(self, fabric):
        for p in self.shadow.parameters():
            p.copy_(fabric.all_reduce(p, reduce_op="mean"))


def main():
    fabric = Fabric(devices=2, strategy="ddp", precision="bf16-mixed")
    fabric.launch()
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    average = Average(net)
    average.shadow.to(fabric.device)
    model, optimizer = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.02))
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(1024, 10, generator=gen)
    loader = fabric.setup_dataloaders(
        DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=True, drop_last=True)
    )
    dice = random.Random()
    for epoch in range(3):
        for features, target in loader:
            loss = F.mse_loss(model(features), target)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
            average.update(net)
            if dice.random() < 0.05:
                average.synchronise(fabric)
    fabric.save("ema.ckpt", {"shadow": average.shadow.state_dict()})


if __name__ == "__main__":
    main()
