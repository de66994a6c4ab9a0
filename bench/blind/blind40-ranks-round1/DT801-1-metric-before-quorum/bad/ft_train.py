import logging
import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from monitor import LossMonitor

log = logging.getLogger("ft")


def batches(replica, count):
    g = torch.Generator().manual_seed(600 + replica)
    for _ in range(count):
        x = torch.randn(32, 10, generator=g)
        yield x, x.norm(dim=1, keepdim=True)


def main(steps=200):
    replica = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = optim.AdamW(model.parameters(), lr=1e-3)

    def load_state(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=load_state,
        state_dict=lambda: {"model": model.state_dict(), "optim": optimizer.state_dict()},
        replica_id=f"train_{replica}",
    )
    monitor = LossMonitor(manager, every=10)
    try:
        for step, (x, y) in enumerate(batches(replica, steps)):
            loss = nn.functional.mse_loss(model(x), y)
            monitor.observe(step, loss)
            manager.start_quorum()
            optimizer.zero_grad()
            loss.backward()
            works = [manager.allreduce(p.grad) for p in model.parameters()]
            for work in works:
                work.wait()
            if manager.should_commit():
                optimizer.step()
            else:
                log.warning("step %d discarded", step)
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
