"""Two-level gradient averaging: inside the host each step, between hosts every few steps."""
import argparse
import os
from functools import cached_property

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Topology:
    def __init__(self):
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.per_host = int(os.environ["LOCAL_WORLD_SIZE"])

    @cached_property
    def hosts(self):
        return [list(range(lo, lo + self.per_host)) for lo in range(0, self.world, self.per_host)]

    def host_group(self):
        groups = [dist.new_group(ranks) for ranks in self.hosts]
        return groups[self.rank // self.per_host]


@torch.no_grad()
def average(tensors, group, size):
    for t in tensors:
        dist.all_reduce(t, group=group)
        t.div_(size)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--between-every", type=int, default=4)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    use_cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if use_cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if use_cuda else torch.device("cpu")
    dist.init_process_group("nccl" if use_cuda else "gloo")
    topo = Topology()
    group = topo.host_group()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(2)
    x = torch.randn(640, 10, generator=g)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(a.to(device)), b.to(device)).backward()
            average([p.grad for p in net.parameters()], group, topo.per_host)
            opt.step()
            step += 1
            if step % args.between_every == 0:
                average([p.data for p in net.parameters()], None, topo.world)
    average([p.data for p in net.parameters()], None, topo.world)
    if topo.rank == 0:
        torch.save(net.state_dict(), "two_level.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
