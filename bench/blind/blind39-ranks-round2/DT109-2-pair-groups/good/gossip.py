import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def partner_group(rank, world):
    """The group of the two ranks which average their weights with one another."""
    pairs = [dist.new_group([first, first + 1]) for first in range(0, world, 2)]
    return pairs[rank // 2]


class Gossip:
    def __init__(self, net, rank, world, period=5):
        self.net, self.period = net, period
        self.group = partner_group(rank, world)
        self.steps = 0

    @torch.no_grad()
    def mix(self):
        for p in self.net.parameters():
            dist.all_reduce(p.data, group=self.group)
            p.data.mul_(0.5)

    def after_step(self):
        self.steps += 1
        if self.steps % self.period == 0:
            self.mix()


def average_everything(net, world):
    with torch.no_grad():
        for tensor in net.parameters():
            dist.all_reduce(tensor.data)
            tensor.data.div_(world)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, 18), nn.ReLU(), nn.Linear(18, 3)).to(device)
    gossip = Gossip(net, rank, world)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(2)
    data = TensorDataset(torch.randn(720, 9, generator=g), torch.randint(0, 3, (720,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=18, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x.to(device)), y.to(device)).backward()
            optimizer.step()
            gossip.after_step()
        average_everything(net, world)
    if rank == 0:
        torch.save(net.state_dict(), "gossip.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
