import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from hsdp import Hierarchy


def manager(name, net, opt):
    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
        min_replica_size=2,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=name,
    )


def main(steps=400):
    island, member = os.environ["ISLAND"], os.environ["MEMBER"]
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 40), nn.GELU(), nn.Linear(40, 1))
    opt = optim.AdamW(net.parameters(), lr=1e-3)
    inner = manager(f"island{island}_{member}", net, opt)
    outer = manager(f"globe_{island}_{member}", net, opt)
    levels = Hierarchy(inner, outer, net, opt, every=25)
    gen = torch.Generator().manual_seed(int(island) * 100 + int(member))
    try:
        for _ in range(steps):
            x = torch.randn(20, 10, generator=gen)
            levels.begin()
            nn.functional.mse_loss(net(x), x.std(1, keepdim=True)).backward()
            levels.end()
    finally:
        inner.shutdown()
        outer.shutdown()


if __name__ == "__main__":
    main()
