import os

import torch
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo


def make(name, net, group):
    return Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=net.load_state_dict,
        state_dict=net.state_dict,
        replica_id=f"{name}_{group}",
        min_replica_size=1,
    )


class Nested:
    def __init__(self, net, group, every):
        self.net, self.every = net, every
        self.inner = make("inner", net, group)
        self.outer = make("outer", net, group)

    def reduce(self, manager):
        for work in [manager.allreduce(p.grad) for p in self.net.parameters()]:
            work.wait()

    def step(self, opt, count):
        self.inner.start_quorum()
        self.reduce(self.inner)
        if self.inner.should_commit():
            opt.step()
        if count % self.every == 0:
            self.outer.start_quorum()
            works = [self.outer.allreduce(p.data) for p in self.net.parameters()]
            for work in works:
                work.wait()
            if not self.outer.should_commit():
                print("outer step dropped")

    def shutdown(self):
        self.inner.shutdown()
        self.outer.shutdown()


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Linear(20, 20)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    nested = Nested(net, group, every=20)
    gen = torch.Generator().manual_seed(group)
    try:
        for count in range(1, 401):
            x = torch.randn(32, 20, generator=gen)
            opt.zero_grad()
            (net(x) - x).pow(2).mean().backward()
            nested.step(opt, count)
    finally:
        nested.shutdown()


if __name__ == "__main__":
    main()
