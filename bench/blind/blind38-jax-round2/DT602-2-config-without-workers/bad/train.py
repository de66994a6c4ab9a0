import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from settings import Settings


def spirals(n, seed):
    gen = torch.Generator().manual_seed(seed)
    t = torch.rand(n, generator=gen) * 6.28
    label = torch.randint(0, 2, (n,), generator=gen)
    radius = t / 6.28 + 0.02 * torch.randn(n, generator=gen)
    angle = t + 3.14 * label
    return TensorDataset(torch.stack([radius * angle.cos(), radius * angle.sin()], 1), label)


def main():
    settings = Settings()
    fabric = L.Fabric(accelerator="auto", devices="auto", strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    model, optimizer = fabric.setup(model, optimizer)
    loader = DataLoader(spirals(4096, 0), shuffle=True, **settings.loader_arguments())
    loader = fabric.setup_dataloaders(loader)
    for epoch in range(settings.epochs):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
        fabric.print(f"epoch {epoch}: {mean.item():.4f}")
    fabric.save("spirals.ckpt", {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    main()
