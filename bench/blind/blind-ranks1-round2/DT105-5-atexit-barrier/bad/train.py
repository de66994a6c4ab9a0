from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from session import Session


@dataclass
class Config:
    folder: str = "events"
    local_cache: str = "/tmp/features"
    epochs: int = 2
    lr: float = 0.01


def features(cfg, rank):
    cached = Path(cfg.local_cache) / f"offsets_{rank}.pt"
    if cached.exists():
        return torch.load(cached, weights_only=True)
    return torch.zeros(6)


def main(cfg=Config()):
    session = Session(cfg.folder)
    offsets = features(cfg, session.rank).to(session.device)
    torch.manual_seed(0)
    model = nn.Linear(6, 2).to(session.device)
    model = DDP(model, device_ids=[session.local_rank] if session.cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    x = torch.randn(256, 6, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.cross_entropy(model(a.to(session.device) + offsets), b.to(session.device))
            if not torch.isfinite(loss):
                raise FloatingPointError(f"loss {loss.item()} on rank {session.rank}")
            opt.zero_grad()
            loss.backward()
            opt.step()
        session.record(epoch=epoch, loss=loss.item())


if __name__ == "__main__":
    main()
