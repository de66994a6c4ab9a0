from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Patience:
    limit: int = 2
    best: float = float("inf")
    waited: int = 0

    def exhausted(self, value):
        if value < self.best:
            self.best, self.waited = value, 0
        else:
            self.waited += 1
        return self.waited > self.limit


def validate(accelerator, model, loader):
    model.eval()
    losses = []
    with torch.no_grad():
        for x, y in loader:
            loss = F.l1_loss(model(x), y, reduction="none").mean(dim=1)
            losses.append(loss)
    model.train()
    return torch.cat(losses).mean().item()


def main():
    accelerator = Accelerator()
    set_seed(6)
    gen = torch.Generator().manual_seed(6)
    x = torch.randn(3000, 12, generator=gen)
    train, valid = random_split(TensorDataset(x, x.cos()), [2600, 400], generator=gen)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 12))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    model, opt, train_loader, valid_loader = accelerator.prepare(
        model, opt, DataLoader(train, batch_size=40, shuffle=True, drop_last=True), DataLoader(valid, batch_size=40)
    )
    patience = Patience()
    for epoch in range(50):
        for a, b in train_loader:
            accelerator.backward(F.l1_loss(model(a), b))
            opt.step()
            opt.zero_grad()
        loss = validate(accelerator, model, valid_loader)
        if patience.exhausted(loss):
            break
    accelerator.wait_for_everyone()
    accelerator.print("stopped after epoch", epoch)
    accelerator.end_training()


if __name__ == "__main__":
    main()
