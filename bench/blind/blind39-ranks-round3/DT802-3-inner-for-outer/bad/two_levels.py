import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo


def manager_for(level, name, state, restore):
    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        load_state_dict=restore,
        state_dict=state,
        replica_id=f"{level}_{name}",
        lighthouse_addr=os.environ[f"{level.upper()}_LIGHTHOUSE"],
    )


class TwoLevels:
    """Gradients inside of a site in every step, weights between the sites once in a while."""

    def __init__(self, site, member, every=20):
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(9, 27), nn.ReLU(), nn.Linear(27, 1))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.02)
        self.inner = manager_for("inner", f"{site}_{member}", self.state, self.restore)
        self.outer = manager_for("outer", f"{site}_{member}", self.state, self.restore)
        self.every, self.taken = every, 0
        self.anchor = [p.detach().clone() for p in self.net.parameters()]

    def state(self):
        return {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, saved):
        self.net.load_state_dict(saved["net"])
        self.optimizer.load_state_dict(saved["optimizer"])

    def step(self, x, y):
        self.inner.start_quorum()
        self.optimizer.zero_grad()
        nn.functional.mse_loss(self.net(x), y).backward()
        for p in self.net.parameters():
            self.inner.allreduce(p.grad).wait()
        if self.inner.should_commit():
            self.optimizer.step()
        self.taken += 1
        if self.taken % self.every == 0:
            self.between_sites()

    @torch.no_grad()
    def between_sites(self):
        self.outer.start_quorum()
        moved = [p - start for p, start in zip(self.net.parameters(), self.anchor)]
        for change in moved:
            self.inner.allreduce(change).wait()
        if self.outer.should_commit():
            for p, start, change in zip(self.net.parameters(), self.anchor, moved):
                start += change
                p.copy_(start)

    def close(self):
        self.inner.shutdown()
        self.outer.shutdown()


def main():
    levels = TwoLevels(os.environ["SITE"], os.environ["MEMBER"])
    source = torch.Generator().manual_seed(int(os.environ["MEMBER"]))
    try:
        for _ in range(400):
            x = torch.randn(32, 9, generator=source)
            levels.step(x, x.sum(1, keepdim=True).tanh())
    finally:
        levels.close()


if __name__ == "__main__":
    main()
