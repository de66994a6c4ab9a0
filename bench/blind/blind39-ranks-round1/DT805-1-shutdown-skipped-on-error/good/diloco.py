import os
from datetime import timedelta

import torch
import torch.nn.functional as F
from torch import nn
from torchft import Manager, ProcessGroupGloo
from torchft.local_sgd import LocalSGD


class Forecaster(nn.Module):
    def __init__(self, past=20, future=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(past, 64), nn.GELU(), nn.Linear(64, future))

    def forward(self, x):
        return self.net(x)


def windows(group, batch=64):
    gen = torch.Generator().manual_seed(500 + group)
    while True:
        walk = torch.randn(batch, 24, generator=gen).cumsum(dim=1)
        if not torch.isfinite(walk).all():
            raise FloatingPointError("the series overflowed")
        yield walk[:, :20], walk[:, 20:]


def make_manager(model, optimizer, group):
    def save():
        return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    def load(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])

    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=60)),
        min_replica_size=1,
        use_async_quorum=False,
        load_state_dict=load,
        state_dict=save,
        replica_id=f"forecast_{group}",
    )


def train(model, optimizer, manager, group, steps):
    with LocalSGD(manager, model, optimizer, sync_every=16):
        for step, (past, future) in enumerate(windows(group)):
            loss = F.mse_loss(model(past), future)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if step + 1 == steps:
                break


def main():
    group = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    torch.manual_seed(0)
    model = Forecaster()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    manager = make_manager(model, optimizer, group)
    try:
        train(model, optimizer, manager, group, steps=640)
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
