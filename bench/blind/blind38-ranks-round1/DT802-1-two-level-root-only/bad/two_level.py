import logging
import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo

log = logging.getLogger("two-level")


class Outer:
    """Clusters average among their roots; each root hands the result to its own cluster."""

    def __init__(self, world_manager, cluster_manager, net, member, root=0):
        self.world, self.cluster = world_manager, cluster_manager
        self.net, self.member, self.root = net, member, root

    def average_between_clusters(self):
        self.world.start_quorum()
        averaged = [p.detach().clone() for p in self.net.parameters()]
        for work in [self.world.allreduce(t) for t in averaged]:
            work.wait()
        if self.world.should_commit():
            with torch.no_grad():
                for p, value in zip(self.net.parameters(), averaged):
                    p.copy_(value)

    def share_within_cluster(self):
        works = []
        shared = []
        for p in self.net.parameters():
            mine = p.detach().clone() if self.member == self.root else torch.zeros_like(p)
            shared.append(mine)
            works.append(self.cluster.allreduce(mine))
        for work in works:
            work.wait()
        if self.cluster.should_commit():
            with torch.no_grad():
                for p, total in zip(self.net.parameters(), shared):
                    p.copy_(total * self.cluster.num_participants())

    def sync(self):
        self.cluster.start_quorum()
        if self.member == self.root:
            self.average_between_clusters()
            self.share_within_cluster()


def manager_for(name, net, lighthouse, members):
    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=members,
        load_state_dict=net.load_state_dict,
        state_dict=net.state_dict,
        replica_id=name,
        rank=0,
        world_size=1,
        lighthouse_addr=os.environ[lighthouse],
        timeout=timedelta(seconds=60),
    )


def main():
    logging.basicConfig(level=logging.INFO)
    cluster, member = int(os.environ["CLUSTER"]), int(os.environ["RANK"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.02)
    world_manager = manager_for(f"world_{cluster}_{member}", net, "WORLD_LIGHTHOUSE", 2)
    cluster_manager = manager_for(f"cluster_{cluster}_{member}", net, "CLUSTER_LIGHTHOUSE", 2)
    outer = Outer(world_manager, cluster_manager, net, member)
    gen = torch.Generator().manual_seed(100 * cluster + member)
    try:
        for step in range(1, 1001):
            x = torch.randn(32, 16, generator=gen)
            opt.zero_grad()
            F.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
            opt.step()
            if step % 50 == 0:
                outer.sync()
    finally:
        cluster_manager.shutdown()
        world_manager.shutdown()


if __name__ == "__main__":
    main()
