import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo


class Outer:
    def __init__(self, net):
        self.net = net
        self.manager = Manager(
            pg=ProcessGroupGloo(),
            load_state_dict=net.load_state_dict,
            state_dict=net.state_dict,
            replica_id=f"outer_{os.environ['REPLICA_GROUP_ID']}",
            min_replica_size=1,
        )

    def sync(self):
        if dist.get_rank() != 0:
            return
        self.manager.start_quorum()
        works = [self.manager.allreduce(p.data) for p in self.net.parameters()]
        for work in works:
            work.wait()
        if not self.manager.should_commit():
            print("not committed")


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = nn.Linear(6, 6)
    outer = Outer(net)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(dist.get_rank())
    try:
        for step in range(1, 101):
            x = torch.randn(8, 6, generator=gen)
            opt.zero_grad()
            (net(x) - x).pow(2).mean().backward()
            for p in net.parameters():
                dist.all_reduce(p.grad)
                p.grad /= dist.get_world_size()
            opt.step()
            if step % 20 == 0:
                outer.sync()
    finally:
        outer.manager.shutdown()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
