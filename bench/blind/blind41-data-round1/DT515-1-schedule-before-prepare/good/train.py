import math

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset


def main(epochs=5):
    accelerator = Accelerator()
    torch.manual_seed(0)
    x = torch.randn(16_384, 12)
    loader = DataLoader(TensorDataset(x, x.norm(dim=1)), batch_size=32, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 64), nn.SiLU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = epochs * len(loader)
    schedule = CosineAnnealingLR(optimizer, T_max=total)
    for epoch in range(epochs):
        for xb, yb in loader:
            loss = F.mse_loss(model(xb)[:, 0], yb)
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        accelerator.print(epoch, schedule.get_last_lr()[0])
    accelerator.end_training()


if __name__ == "__main__":
    main()
