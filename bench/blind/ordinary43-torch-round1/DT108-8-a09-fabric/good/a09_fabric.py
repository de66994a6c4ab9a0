"""Lightning Fabric loop."""
from argparse import Namespace

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.aggregation import MeanMetric


def loaders(hp):
    g = torch.Generator().manual_seed(5)
    x = torch.randn(2000, 16, generator=g)
    y = (x[:, 0] > 0).float()[:, None]
    return (
        DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=hp.batch, shuffle=True, drop_last=True),
        DataLoader(TensorDataset(x[1600:], y[1600:]), batch_size=hp.batch),
    )


def train(fabric, hp):
    fabric.seed_everything(hp.seed)
    train_loader, val_loader = fabric.setup_dataloaders(*loaders(hp))
    with fabric.init_module():
        model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=hp.lr)
    model, optimizer = fabric.setup(model, optimizer)
    mean = MeanMetric().to(fabric.device)
    state = {"model": model, "optimizer": optimizer, "epoch": 0, "step": 0}
    best = float("inf")
    while state["epoch"] < hp.epochs:
        model.train()
        for i, (x, y) in enumerate(train_loader):
            accumulating = (i + 1) % hp.accumulate != 0
            with fabric.no_backward_sync(model, enabled=accumulating):
                loss = F.binary_cross_entropy_with_logits(model(x), y)
                fabric.backward(loss / hp.accumulate)
            if not accumulating:
                fabric.clip_gradients(model, optimizer, max_norm=1.0)
                optimizer.step()
                optimizer.zero_grad()
                state["step"] += 1
        model.eval()
        with torch.no_grad():
            for x, y in val_loader:
                mean.update(F.binary_cross_entropy_with_logits(model(x), y))
        value = mean.compute().item()
        mean.reset()
        fabric.print(f"epoch {state['epoch']}: val {value:.4f}")
        fabric.log("val", value, step=state["step"])
        state["epoch"] += 1
        if value < best:
            best = value
            fabric.save(f"{hp.out}/best.ckpt", state)
    fabric.barrier()
    if fabric.is_global_zero:
        print("finished, best", best)


if __name__ == "__main__":
    hp = Namespace(seed=1, batch=16, lr=1e-3, epochs=5, accumulate=4, out="out")
    fabric = L.Fabric(accelerator="cuda", devices=4, strategy="ddp")
    fabric.launch()
    train(fabric, hp)
