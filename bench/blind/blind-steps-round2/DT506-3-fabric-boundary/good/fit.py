import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 8


def is_boundary(i: int) -> bool:
    return (i + 1) % ACCUMULATE == 0


def train_epoch(fabric, model, optimizer, loader):
    for i, (x, y) in enumerate(loader):
        is_accumulating = not is_boundary(i)
        with fabric.no_backward_sync(model, enabled=is_accumulating):
            loss = nn.functional.cross_entropy(model(x), y)
            fabric.backward(loss / ACCUMULATE)
        if is_boundary(i):
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()


def main():
    fabric = L.Fabric(accelerator="auto", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    net = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 5))
    model, optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters(), lr=1e-3))
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(4096, 20, generator=g), torch.randint(0, 5, (4096,), generator=g))
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=16, shuffle=True, drop_last=True))
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        train_epoch(fabric, model, optimizer, loader)
    fabric.save("last.ckpt", {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    main()
