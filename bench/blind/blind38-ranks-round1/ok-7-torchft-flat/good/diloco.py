import os
from contextlib import contextmanager
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


@contextmanager
def membership(net, name):
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=net.load_state_dict,
        state_dict=net.state_dict,
        replica_id=name,
        use_async_quorum=False,
    )
    try:
        yield manager
    finally:
        manager.shutdown()


class OuterOptimizer:
    def __init__(self, manager, net, lr=0.7):
        self.manager, self.net = manager, net
        self.anchor = [p.detach().clone() for p in net.parameters()]
        self.momentum = torch.optim.SGD(self.anchor, lr=lr, momentum=0.9, nesterov=True)

    def step(self):
        self.manager.start_quorum()
        works = []
        for kept, p in zip(self.anchor, self.net.parameters()):
            kept.grad = kept - p.detach()
            works.append(self.manager.allreduce(kept.grad))
        for work in works:
            work.wait()
        if self.manager.should_commit():
            self.momentum.step()
        with torch.no_grad():
            for kept, p in zip(self.anchor, self.net.parameters()):
                p.copy_(kept)


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 80), nn.SiLU(), nn.Linear(80, 20))
    inner = torch.optim.AdamW(net.parameters(), lr=4e-4)
    gen = torch.Generator().manual_seed(500 + group)
    with membership(net, f"diloco_{group}") as manager:
        outer = OuterOptimizer(manager, net)
        for step in range(1, 5001):
            x = torch.randn(64, 20, generator=gen)
            inner.zero_grad()
            F.mse_loss(net(x), x.sort(dim=1).values).backward()
            inner.step()
            if step % 100 == 0:
                outer.step()
        if group == 0:
            torch.save(net.state_dict(), "diloco.pt")


if __name__ == "__main__":
    main()
