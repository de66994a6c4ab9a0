import os

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from report import Report


def main():
    accelerator = Accelerator()
    torch.manual_seed(3)
    x = torch.randn(1024, 12, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.std(1, keepdim=True)), batch_size=32, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    shared = os.environ.get("SHARED_OUT", "shared")
    if accelerator.is_main_process:
        os.makedirs(shared, exist_ok=True)
    accelerator.wait_for_everyone()
    report = Report(shared, active=accelerator.is_main_process)
    for epoch in range(5):
        losses = []
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.detach())
        mean = accelerator.gather(torch.stack(losses)).mean().item()
        report.add(epoch=epoch, loss=mean)
    accelerator.end_training()


if __name__ == "__main__":
    main()
