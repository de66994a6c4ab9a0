import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def data():
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(4096, 20, generator=gen)
    return TensorDataset(x, x.pow(2).sum(1, keepdim=True))


def train(fabric, model, optimizer, loader, every):
    whole = len(loader) // every * every
    for i, (x, y) in enumerate(loader):
        if i >= whole:
            break
        accumulating = (i + 1) % every != 0
        optimizer.zero_grad()
        with fabric.no_backward_sync(model, enabled=accumulating):
            loss = F.mse_loss(model(x), y) / every
            fabric.backward(loss)
        if not accumulating:
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()


def main(epochs=3, every=4):
    fabric = L.Fabric(accelerator="auto", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(5)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(data(), batch_size=16, shuffle=True, drop_last=True))
    for epoch in range(epochs):
        train(fabric, model, optimizer, loader, every)
        fabric.print("epoch", epoch)
    fabric.save("model.ckpt", {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    main()
