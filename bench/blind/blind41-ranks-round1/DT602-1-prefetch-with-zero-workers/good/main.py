import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import TensorDataset

from loaders import LoaderConfig, build_loader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debug", action="store_true")
    args = parser.parse_args()
    fabric = Fabric(devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(1000, 8, generator=gen)
    loader = fabric.setup_dataloaders(build_loader(TensorDataset(x, x.mean(1, keepdim=True)), LoaderConfig(), args.debug))
    net = nn.Linear(8, 1)
    model, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    for epoch in range(1 if args.debug else 20):
        for a, b in loader:
            loss = F.mse_loss(model(a), b)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()


if __name__ == "__main__":
    main()
