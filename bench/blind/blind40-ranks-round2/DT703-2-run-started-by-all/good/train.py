import dataclasses

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tracking import tracking


@dataclasses.dataclass
class Config:
    experiment: str = "tabular"
    name: str = "mlp"
    epochs: int = 4
    batch: int = 64
    lr: float = 1e-3
    track: bool = True


def rows(n=2000):
    g = torch.Generator().manual_seed(5)
    x = torch.randn(n, 16, generator=g)
    return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())


def main():
    cfg = Config()
    accelerator = Accelerator()
    set_seed(11)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 2))
    loader = DataLoader(rows(), batch_size=cfg.batch, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=cfg.lr), loader)
    with tracking(cfg, active=cfg.track and accelerator.is_main_process) as tracker:
        for epoch in range(cfg.epochs):
            total = torch.zeros((), device=accelerator.device)
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
                total += loss.detach()
            mean = accelerator.reduce(total / len(loader), reduction="mean")
            tracker.log(epoch, loss=mean.item())
    accelerator.end_training()


if __name__ == "__main__":
    main()
