import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric.utilities import rank_zero_only
from torch.utils.data import DataLoader, TensorDataset


def spirals(n, seed):
    gen = torch.Generator().manual_seed(seed)
    r = torch.rand(n, generator=gen) * 4
    label = torch.randint(0, 2, (n,), generator=gen)
    angle = r * 2 + label * 3.14
    return TensorDataset(torch.stack([r * angle.cos(), r * angle.sin()], dim=1), label)


@rank_zero_only
def announce(text):
    print(text, flush=True)


@torch.no_grad()
def validate(fabric, model, loader):
    model.eval()
    total, batches = torch.zeros((), device=fabric.device), 0
    for x, y in loader:
        total += F.cross_entropy(model(x), y)
        batches += 1
    model.train()
    return fabric.all_reduce(total / batches, reduce_op="mean").item()


def main(epochs=10):
    fabric = L.Fabric(accelerator="auto", devices="auto", strategy="ddp")
    fabric.launch()
    fabric.seed_everything(8)
    net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    model, optimizer = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=1e-3))
    train = DataLoader(spirals(4096, 0), batch_size=64, shuffle=True, drop_last=True)
    val = DataLoader(spirals(1024, 1), batch_size=64)
    train, val = fabric.setup_dataloaders(train, val)
    best = float("inf")
    for epoch in range(epochs):
        if hasattr(train.sampler, "set_epoch"):
            train.sampler.set_epoch(epoch)
        for x, y in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            fabric.backward(loss)
            optimizer.step()
        val_loss = validate(fabric, model, val)
        announce(f"epoch {epoch}: validation loss {val_loss:.4f}")
        if val_loss < best:
            best = val_loss
            if fabric.global_rank == 0:
                torch.save(net.state_dict(), "spirals_best.pt")


if __name__ == "__main__":
    main()
