import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 8


def main(epochs=2):
    fabric = L.Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    x = torch.randn(8192, 10)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16, shuffle=True, drop_last=True)
    loader = fabric.setup_dataloaders(loader)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    model, optimizer = fabric.setup(model, optimizer)
    usable = len(loader) // ACCUMULATE * ACCUMULATE
    for epoch in range(epochs):
        for i, (xb, yb) in enumerate(loader):
            if i >= usable:
                break
            accumulating = (i + 1) % ACCUMULATE != 0
            loss = F.mse_loss(model(xb), yb) / ACCUMULATE
            fabric.backward(loss)
            if not accumulating:
                fabric.clip_gradients(model, optimizer, max_norm=1.0)
                optimizer.step()
                optimizer.zero_grad()
    fabric.save("net.ckpt", {"model": model})


if __name__ == "__main__":
    main()
