import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from hooks import Monitor, accelerator


def main():
    torch.manual_seed(0)
    x = torch.randn(800, 12, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.prod(1, keepdim=True).tanh()), batch_size=20, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    monitor = Monitor(("loss", "norm"))
    for epoch in range(3):
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            accelerator.backward(loss)
            norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            monitor.push(loss=loss, norm=norm)
        monitor.report(epoch)
        monitor.clear()
    accelerator.end_training()


if __name__ == "__main__":
    main()
