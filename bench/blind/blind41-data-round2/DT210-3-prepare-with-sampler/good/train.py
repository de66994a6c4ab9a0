import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build(accelerator, batch_size):
    x = torch.randn(20_000, 30, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.mean(1))
    loader = DataLoader(data, batch_size=batch_size, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return accelerator.prepare(model, optimizer, loader)


def main(epochs=3):
    accelerator = Accelerator()
    torch.manual_seed(0)
    model, optimizer, loader = build(accelerator, 32)
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for x, y in loader:
            loss = F.mse_loss(model(x)[:, 0], y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
