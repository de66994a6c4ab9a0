import signal
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset

STOP = threading.Event()


def main():
    signal.signal(signal.SIGUSR1, lambda number, frame: STOP.set())
    fabric = Fabric(devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    net = nn.Linear(14, 2)
    model, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(1400, 14, generator=gen)
    loader = fabric.setup_dataloaders(
        DataLoader(TensorDataset(x, (x.mean(1) > 0).long()), batch_size=28, shuffle=True, drop_last=True)
    )
    for epoch in range(20):
        for a, b in loader:
            loss = F.cross_entropy(model(a), b)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
        asked = fabric.all_reduce(torch.tensor(float(STOP.is_set()), device=fabric.device), reduce_op="sum")
        if asked.item() > 0:
            fabric.save("preempted.ckpt", {"model": model, "optimizer": opt, "epoch": epoch})
            break
    fabric.barrier()


if __name__ == "__main__":
    main()
