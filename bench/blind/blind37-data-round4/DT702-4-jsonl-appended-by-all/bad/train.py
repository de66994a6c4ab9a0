import json
import time
from pathlib import Path

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class History:
    def __init__(self, folder, name="history.jsonl"):
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / name

    def append(self, **values):
        with self.path.open("a") as handle:
            handle.write(json.dumps(values) + "\n")


def clouds(n=20_000):
    g = torch.Generator().manual_seed(88)
    y = torch.randint(0, 5, (n,), generator=g)
    return TensorDataset(torch.randn(n, 16, generator=g) + y[:, None], y)


def main(epochs=5):
    fabric = L.Fabric(accelerator="auto", devices=4, num_nodes=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(88)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 5))
    model, optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters(), lr=1e-3))
    loader = fabric.setup_dataloaders(DataLoader(clouds(), batch_size=64, shuffle=True, drop_last=True))
    history = History("/shared/runs/clouds")
    for epoch in range(epochs):
        began, total = time.monotonic(), torch.zeros((), device=fabric.device)
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
            total += loss.detach()
        mean = fabric.all_reduce(total / len(loader), reduce_op="mean").item()
        history.append(epoch=epoch, loss=mean, seconds=time.monotonic() - began)
    fabric.save("/shared/runs/clouds/last.ckpt", {"model": model})


if __name__ == "__main__":
    main()
