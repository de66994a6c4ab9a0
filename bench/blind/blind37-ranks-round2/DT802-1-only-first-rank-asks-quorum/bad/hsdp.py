import itertools
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler

GROUP, GROUPS = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])


class Step:
    def __init__(self, manager, net, opt):
        self.manager, self.net, self.opt = manager, net, opt
        self.rank = dist.get_rank()
        self.size = dist.get_world_size()

    def average(self):
        for p in self.net.parameters():
            dist.all_reduce(p.grad)
            p.grad.div_(self.size)
        works = [self.manager.allreduce(p.grad) for p in self.net.parameters()]
        for work in works:
            work.wait()

    def __call__(self, x, y):
        self.manager.start_quorum()
        self.opt.zero_grad()
        F.cross_entropy(self.net(x), y).backward()
        self.average()
        commit = torch.zeros(1)
        if self.rank == 0:
            commit.fill_(float(self.manager.should_commit()))
        dist.broadcast(commit, src=0)
        if commit.item() > 0:
            self.opt.step()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(11, 33), nn.ReLU(), nn.Linear(33, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
        min_replica_size=1,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"hsdp_{GROUP}",
    )
    try:
        x = torch.randn(1200, 11, generator=torch.Generator().manual_seed(31))
        data = TensorDataset(x, x[:, :3].argmax(1))
        sampler = DistributedSampler(
            data,
            replica_rank=GROUP,
            num_replica_groups=GROUPS,
            group_rank=dist.get_rank(),
            num_replicas=dist.get_world_size(),
            shuffle=True,
        )
        loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
        step = Step(manager, net, opt)
        for epoch in itertools.count():
            sampler.set_epoch(epoch)
            for a, b in loader:
                step(a, b)
            if manager.current_step() > 300:
                break
    finally:
        manager.shutdown()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
