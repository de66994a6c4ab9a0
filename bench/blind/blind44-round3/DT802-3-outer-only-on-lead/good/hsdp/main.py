import os

import torch
import torch.distributed as dist
from torch import nn

from hsdp.managers import manager
from hsdp.outer import Outer


def main(steps=100):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Linear(8, 8)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    outer_manager = manager("outer", net.state_dict, net.load_state_dict)
    outer = Outer(outer_manager, net.parameters(), rank, period=10)
    g = torch.Generator().manual_seed(rank + 100 * int(os.environ["REPLICA_GROUP_ID"]))
    try:
        for _ in range(steps):
            x = torch.randn(16, 8, generator=g)
            opt.zero_grad()
            (net(x) - x).square().mean().backward()
            for p in net.parameters():
                dist.all_reduce(p.grad)
                p.grad /= dist.get_world_size()
            opt.step()
            outer.step()
    finally:
        outer_manager.shutdown()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
