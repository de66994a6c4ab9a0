import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Ring:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.right = (self.rank + 1) % self.world
        self.left = (self.rank - 1) % self.world

    def shift(self, block):
        incoming = torch.empty_like(block)
        outgoing = dist.isend(block, dst=self.right)
        dist.recv(incoming, src=self.left)
        outgoing.wait()
        return incoming


def ring_mean(tensor, ring):
    """The mean over the ranks by passing every block once around."""
    total, block = tensor.clone(), tensor.clone()
    for _ in range(ring.world - 1):
        block = ring.shift(block)
        total += block
    return total / ring.world


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    ring = Ring()
    torch.manual_seed(0)
    net = nn.Linear(64, 64).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    data = TensorDataset(torch.randn(640, 64, generator=torch.Generator().manual_seed(23)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            optimizer.zero_grad()
            (net(x) - x.cumsum(1)).pow(2).mean().backward()
            for p in net.parameters():
                p.grad = ring_mean(p.grad, ring)
            optimizer.step()
    if ring.rank == 0:
        torch.save(net.state_dict(), "ring.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
