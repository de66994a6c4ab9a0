import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo

from loop.steps import step


def main(steps=1000):
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Linear(8, 8)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        min_replica_size=2,
        replica_id=f"g{group}",
    )
    g = torch.Generator().manual_seed(group)
    try:
        while manager.current_step() < steps:
            step(manager, net, opt, torch.randn(16, 8, generator=g))
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
