import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo

from engine import Engine

REPLICA = int(os.environ.get("REPLICA_GROUP_ID", 0))


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


def stream(batch=16, dim=16):
    gen = torch.Generator().manual_seed(100 + REPLICA)
    while True:
        x = torch.randn(batch, dim, generator=gen)
        yield x, x[:, :4].sum(dim=1, keepdim=True)


def main(steps=100):
    torch.manual_seed(0)
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def load(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=2,
        load_state_dict=load,
        state_dict=lambda: {"model": model.state_dict(), "optim": optimizer.state_dict()},
        replica_id=f"fit_{REPLICA}",
    )
    engine = Engine(manager, model, optimizer, F.mse_loss)
    try:
        for x, y in stream():
            engine.step(x, y)
            if manager.current_step() >= steps:
                break
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
