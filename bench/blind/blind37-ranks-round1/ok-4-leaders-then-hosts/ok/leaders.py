import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoLevel:
    """Mean over all ranks: reduce in the host, all_reduce among leaders, broadcast in the host."""

    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        per_host = int(os.environ["LOCAL_WORLD_SIZE"])
        self.leader = self.rank - self.rank % per_host
        for first in range(0, self.world, per_host):
            group = dist.new_group(range(first, first + per_host))
            if first == self.leader:
                self.host = group
        self.leaders = dist.new_group(range(0, self.world, per_host))

    @property
    def is_leader(self):
        return self.rank == self.leader

    @torch.no_grad()
    def mean_(self, tensor):
        dist.reduce(tensor, dst=self.leader, group=self.host)
        if self.is_leader:
            dist.all_reduce(tensor, group=self.leaders)
            tensor.div_(self.world)
        dist.broadcast(tensor, src=self.leader, group=self.host)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    average = TwoLevel()
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.03)
    x = torch.randn(512, 8, generator=torch.Generator().manual_seed(8))
    data = TensorDataset(x, x.prod(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(a.to(device)), b.to(device)).backward()
            for p in net.parameters():
                average.mean_(p.grad)
            opt.step()
    if average.rank == 0:
        torch.save(net.state_dict(), "leaders.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
