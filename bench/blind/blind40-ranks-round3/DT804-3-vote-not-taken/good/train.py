import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from worker import Worker


def main(steps=300):
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(2)
    net = nn.Sequential(nn.Linear(7, 21), nn.Tanh(), nn.Linear(21, 1))
    opt = optim.Adam(net.parameters(), lr=1e-3)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"worker_{replica}",
    )
    worker = Worker(manager, net, opt)
    gen = torch.Generator().manual_seed(77 + replica)
    try:
        for step in range(steps):
            x = torch.randn(16, 7, generator=gen)
            loss = worker.step(x, x.median(1, keepdim=True).values)
            if step % 50 == 0 and replica == 0:
                print(step, round(loss, 4))
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
