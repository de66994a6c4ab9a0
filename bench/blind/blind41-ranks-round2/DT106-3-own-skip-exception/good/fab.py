import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


class SkipBatch(Exception):
    pass


def step(fabric, model, opt, batch):
    x, y = batch
    loss = F.poisson_nll_loss(model(x), y)
    worst = fabric.all_reduce((~torch.isfinite(loss)).float(), reduce_op="sum")
    if worst > 0:
        raise SkipBatch
    opt.zero_grad()
    fabric.backward(loss)
    opt.step()
    return loss


def main():
    fabric = Fabric(devices=4, strategy="ddp", accelerator="cuda")
    fabric.launch()
    fabric.seed_everything(2)
    net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
    model, opt = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=1e-3))
    gen = torch.Generator().manual_seed(2)
    x = torch.rand(4096, 6, generator=gen)
    data = TensorDataset(x, torch.poisson(x.sum(1, keepdim=True), generator=gen))
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=64, shuffle=True, drop_last=True))
    skipped = 0
    for epoch in range(5):
        for batch in loader:
            try:
                step(fabric, model, opt, batch)
            except SkipBatch:
                skipped += 1
                continue
    fabric.print("skipped", skipped)


if __name__ == "__main__":
    main()
