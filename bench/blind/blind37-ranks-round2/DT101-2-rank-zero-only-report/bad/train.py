import argparse

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from report import Report


def regression(n=480):
    g = torch.Generator().manual_seed(90)
    x = torch.randn(n, 13, generator=g)
    return TensorDataset(x, torch.tanh(x.sum(1, keepdim=True)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--report", default="epochs.tsv")
    args = parser.parse_args()
    fabric = L.Fabric(devices=args.devices, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(1)
    net = nn.Sequential(nn.Linear(13, 26), nn.Tanh(), nn.Linear(26, 1))
    net, opt = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=2e-3))
    loader = fabric.setup_dataloaders(DataLoader(regression(), batch_size=24, shuffle=True, drop_last=True))
    report = Report(fabric, args.report)
    for epoch in range(args.epochs):
        total = torch.zeros((), device=fabric.device)
        count = torch.zeros((), device=fabric.device)
        for x, y in loader:
            loss = F.mse_loss(net(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            total += loss.detach() * len(x)
            count += len(x)
        report.epoch(epoch, total, count)
    report.close()
    fabric.save("last.ckpt", {"net": net, "opt": opt})


if __name__ == "__main__":
    main()
