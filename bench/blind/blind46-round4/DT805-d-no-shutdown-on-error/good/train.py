import os
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


@dataclass
class Replica:
    group: int
    steps: int = 200

    @classmethod
    def from_env(cls):
        return cls(int(os.environ["REPLICA_GROUP_ID"]))


def batches(seed, n):
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        x = torch.randn(32, 12, generator=g)
        yield x, x[:, :3].argmax(1)


def main():
    replica = Replica.from_env()
    torch.manual_seed(0)
    model = nn.Linear(12, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=2,
        load_state_dict=lambda s: (model.load_state_dict(s["m"]), optimizer.load_state_dict(s["o"])),
        state_dict=lambda: {"m": model.state_dict(), "o": optimizer.state_dict()},
        replica_id=f"replica_{replica.group}",
    )
    try:
        for x, y in batches(replica.group, replica.steps):
            manager.start_quorum()
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            for work in [manager.allreduce(p.grad) for p in model.parameters()]:
                work.wait()
            if manager.should_commit():
                optimizer.step()
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
