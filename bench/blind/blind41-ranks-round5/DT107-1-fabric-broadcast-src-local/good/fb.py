import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


def class_names(fabric, path):
    names = None
    if fabric.is_global_zero:
        with open(path) as handle:
            names = handle.read().split()
    return fabric.broadcast(names, src=0)


def main():
    fabric = Fabric(devices=4, num_nodes=1, strategy="ddp", accelerator="cuda")
    fabric.launch()
    fabric.seed_everything(0)
    names = class_names(fabric, "names.txt")
    net = nn.Linear(10, len(names))
    model, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(800, 10, generator=gen), torch.randint(0, 2, (800,), generator=gen))
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=20, shuffle=True, drop_last=True))
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        fabric.backward(loss)
        opt.step()
    fabric.print(names)


if __name__ == "__main__":
    main()
