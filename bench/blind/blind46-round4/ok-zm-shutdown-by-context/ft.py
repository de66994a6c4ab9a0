import contextlib
import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


@contextlib.contextmanager
def managed(model, optimizer):
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        load_state_dict=lambda s: (model.load_state_dict(s["m"]), optimizer.load_state_dict(s["o"])),
        state_dict=lambda: {"m": model.state_dict(), "o": optimizer.state_dict()},
        replica_id=os.environ.get("REPLICA_GROUP_ID", "0"),
    )
    try:
        yield manager
    finally:
        manager.shutdown(wait=False)


def main(steps=100):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(int(os.environ.get("REPLICA_GROUP_ID", 0)))
    with managed(model, optimizer) as manager:
        for _ in range(steps):
            manager.start_quorum()
            x = torch.randn(8, 4, generator=g)
            optimizer.zero_grad()
            F.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            works = [manager.allreduce(p.grad) for p in model.parameters()]
            for work in works:
                work.wait()
            if manager.should_commit():
                optimizer.step()


if __name__ == "__main__":
    main()
