import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo

REPLICA = int(os.environ.get("REPLICA_GROUP_ID", 0))
REPLICAS = int(os.environ.get("NUM_REPLICA_GROUPS", 2))


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))


def batches(n, seed):
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        x = torch.randn(16, 8, generator=g)
        yield x, x.sum(1, keepdim=True)


def make_manager(model, optimizer):
    def state():
        return {"model": model.state_dict(), "optim": optimizer.state_dict()}

    def load(saved):
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optim"])

    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        load_state_dict=load,
        state_dict=state,
        replica_id=f"train_{REPLICA}",
    )


def step(manager, model, optimizer, x, y):
    manager.start_quorum()
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    for work in [manager.allreduce(p.grad) for p in model.parameters()]:
        work.wait()
    manager.should_commit()
    optimizer.step()


def main(steps=100):
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    manager = make_manager(model, optimizer)
    try:
        for x, y in batches(steps, seed=REPLICA):
            step(manager, model, optimizer, x, y)
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
