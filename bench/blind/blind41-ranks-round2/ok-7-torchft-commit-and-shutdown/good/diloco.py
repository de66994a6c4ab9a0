import os

import torch
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo
from torchft.local_sgd import LocalSGD


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Linear(10, 10)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    manager = Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"local_{group}",
        min_replica_size=1,
        use_async_quorum=False,
    )
    gen = torch.Generator().manual_seed(group)
    try:
        with LocalSGD(manager, net, opt, sync_every=32):
            for _ in range(640):
                x = torch.randn(16, 10, generator=gen)
                opt.zero_grad()
                (net(x) - x).abs().mean().backward()
                opt.step()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
