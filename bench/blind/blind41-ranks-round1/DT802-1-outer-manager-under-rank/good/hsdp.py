import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


class TwoLevel:
    """Inner: gradients inside the replica group. Outer: weights over the replica groups."""

    def __init__(self, net, every=16):
        self.net, self.every = net, every
        self.rank = dist.get_rank()
        self.outer = Manager(
            pg=ProcessGroupGloo(),
            load_state_dict=net.load_state_dict,
            state_dict=net.state_dict,
            replica_id=f"island_{os.environ['REPLICA_GROUP_ID']}",
            min_replica_size=1,
        )
        self.count = 0

    def reduce_inner(self):
        for p in self.net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()

    def maybe_outer(self):
        self.count += 1
        if self.count % self.every:
            return
        self.outer.start_quorum()
        for p in self.net.parameters():
            self.outer.allreduce(p.data).wait()
        if not self.outer.should_commit():
            print("outer round was thrown away")


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = nn.Linear(10, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    levels = TwoLevel(net)
    gen = torch.Generator().manual_seed(dist.get_rank() + 17)
    try:
        for step in range(320):
            x = torch.randn(16, 10, generator=gen)
            loss = F.cross_entropy(net(x), x[:, :3].argmax(1))
            opt.zero_grad()
            loss.backward()
            levels.reduce_inner()
            opt.step()
            levels.maybe_outer()
    finally:
        levels.outer.shutdown()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
