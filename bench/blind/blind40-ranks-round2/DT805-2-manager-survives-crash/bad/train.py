import logging
import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from loop import Loop


def endless(replica):
    g = torch.Generator().manual_seed(1300 + replica)
    while True:
        x = torch.randn(24, 14, generator=g)
        yield x, x.mean(1, keepdim=True).exp()


def main():
    logging.basicConfig(level=logging.INFO)
    replica = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(14, 32), nn.SiLU(), nn.Linear(32, 1))
    optimizer = optim.Adam(model.parameters(), lr=1e-3)

    def load(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=2,
        load_state_dict=load,
        state_dict=lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
        replica_id=f"exp_{replica}",
        timeout=timedelta(seconds=30),
    )
    Loop(manager, model, optimizer, nn.functional.mse_loss).run(endless(replica), limit=500)


if __name__ == "__main__":
    main()
