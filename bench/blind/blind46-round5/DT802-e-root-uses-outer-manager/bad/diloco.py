import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


def make_manager(model, optimizer, name):
    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=2,
        use_async_quorum=False,
        load_state_dict=lambda s: (model.load_state_dict(s["m"]), optimizer.load_state_dict(s["o"])),
        state_dict=lambda: {"m": model.state_dict(), "o": optimizer.state_dict()},
        replica_id=name,
    )


class TwoLevel:
    def __init__(self, inner, outer, model, rank, root=0):
        self.inner, self.outer, self.model = inner, outer, model
        self.rank, self.root = rank, root

    @torch.no_grad()
    def _average(self, manager):
        manager.start_quorum()
        copies = [p.data.clone() for p in self.model.parameters()]
        for work in [manager.allreduce(c) for c in copies]:
            work.wait()
        if manager.should_commit():
            for p, c in zip(self.model.parameters(), copies):
                p.data.copy_(c)

    def sync(self):
        self._average(self.inner)
        if self.rank == self.root:
            self._average(self.outer)


def main(steps=100, every=10):
    rank = int(os.environ["RANK"])
    cluster = os.environ["CLUSTER"]
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    inner = make_manager(model, optimizer, f"inner_{cluster}")
    outer = make_manager(model, optimizer, f"outer_{cluster}")
    levels = TwoLevel(inner, outer, model, rank)
    g = torch.Generator().manual_seed(rank)
    try:
        for step in range(1, steps + 1):
            x = torch.randn(16, 6, generator=g)
            optimizer.zero_grad()
            F.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
            if step % every == 0:
                levels.sync()
    finally:
        inner.shutdown(wait=False)
        outer.shutdown(wait=False)


if __name__ == "__main__":
    main()
