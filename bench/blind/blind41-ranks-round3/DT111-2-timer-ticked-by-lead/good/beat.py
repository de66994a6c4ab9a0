import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


class Reporter:
    """Reports every so many steps since the last report."""

    def __init__(self, fabric, every=40):
        self.fabric, self.every = fabric, every
        self.reported_at = 0
        self.clock = time.perf_counter()

    def maybe(self, step, loss):
        if step < self.reported_at + self.every:
            return
        mean = self.fabric.all_reduce(loss.detach(), reduce_op="mean")
        if self.fabric.is_global_zero:
            now = time.perf_counter()
            print(f"step {step} loss {mean.item():.4f} {(now - self.clock) / self.every:.3f}s/step")
            self.clock = now
        self.reported_at = step


def main():
    fabric = Fabric(devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    net = nn.Sequential(nn.Linear(17, 34), nn.ReLU(), nn.Linear(34, 17))
    model, opt = fabric.setup(net, torch.optim.Adam(net.parameters()))
    gen = torch.Generator().manual_seed(0)
    loader = fabric.setup_dataloaders(
        DataLoader(TensorDataset(torch.randn(3400, 17, generator=gen)), batch_size=17, shuffle=True, drop_last=True)
    )
    reporter = Reporter(fabric)
    step = 0
    for epoch in range(4):
        for (x,) in loader:
            loss = F.mse_loss(model(x), x)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            step += 1
            reporter.maybe(step, loss)


if __name__ == "__main__":
    main()
