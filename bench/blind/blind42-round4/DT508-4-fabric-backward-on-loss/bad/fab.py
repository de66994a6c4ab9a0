import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))

    def forward(self, x):
        return self.body(x)


def train(fabric, net, optimizer, loader, epochs):
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for (x,) in loader:
            noisy = x + 0.1 * torch.randn_like(x)
            loss = nn.functional.mse_loss(net(noisy), x)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        fabric.print("epoch", epoch)


def main():
    fabric = L.Fabric(accelerator="cuda", devices=4, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(3 + fabric.global_rank)
    net = Encoder()
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    model, optimizer = fabric.setup(net, optimizer)
    data = TensorDataset(torch.load("codes.pt", map_location="cpu"))
    loader = fabric.setup_dataloaders(DataLoader(data, 64, shuffle=True, drop_last=True))
    train(fabric, net, optimizer, loader, 5)
    fabric.save("encoder.ckpt", {"model": model})


if __name__ == "__main__":
    main()
