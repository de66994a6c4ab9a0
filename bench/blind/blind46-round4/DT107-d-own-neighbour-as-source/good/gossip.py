import os
from functools import cached_property

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Topology:
    @cached_property
    def rank(self):
        return dist.get_rank()

    @cached_property
    def world(self):
        return dist.get_world_size()

    def source(self, step):
        return step % self.world


@torch.no_grad()
def mix(net, topology, step):
    src = topology.source(step)
    for p in net.parameters():
        theirs = p.detach().clone()
        dist.broadcast(theirs, src=src)
        p.lerp_(theirs, 0.5)


def main(steps=40):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    topology = Topology()
    torch.manual_seed(0)
    net = nn.Linear(9, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(10 + topology.rank)
    for step in range(steps):
        x = torch.randn(24, 9, generator=g).to(device)
        optimizer.zero_grad()
        F.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if step % 5 == 4:
            mix(net, topology, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
