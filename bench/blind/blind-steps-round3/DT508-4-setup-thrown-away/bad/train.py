import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 8, 3, padding=1)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.relu(self.conv(x)).mean(-1))


def steps(fabric, model, optimizer, loader):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        fabric.backward(loss)
        optimizer.step()
        yield loss.detach()


def main():
    fabric = L.Fabric(devices=2, strategy="ddp", accelerator="auto")
    fabric.launch()
    fabric.seed_everything(1)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    _, optimizer = fabric.setup(net, optimizer)
    net = net.to(fabric.device)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 2, 16, generator=g), torch.randn(640, 1, generator=g))
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=16, shuffle=True, drop_last=True))
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        for i, loss in enumerate(steps(fabric, net, optimizer, loader)):
            if i % 10 == 0:
                fabric.print(epoch, i, fabric.all_reduce(loss).item())


if __name__ == "__main__":
    main()
