import os

import torch
import torch.distributed as dist
from torch import nn


class Outbox:
    """Sends summed gradients to the next rank without stopping the computation."""

    def __init__(self, size, peer):
        self.buffer = torch.zeros(size)
        self.peer = peer

    def add(self, vector):
        self.buffer += vector

    def ship(self):
        work = dist.isend(self.buffer, dst=self.peer)
        self.buffer.zero_()
        work.wait()


class Inbox:
    def __init__(self, size, peer):
        self.buffer = torch.empty(size)
        self.peer = peer

    def take(self):
        dist.recv(self.buffer, src=self.peer)
        return self.buffer


def gradient(net, x):
    net.zero_grad()
    (net(x) - x.amax(1, keepdim=True)).square().mean().backward()
    return torch.cat([p.grad.flatten() for p in net.parameters()])


def apply(net, vector, rate):
    offset = 0
    with torch.no_grad():
        for p in net.parameters():
            p -= rate * vector[offset : offset + p.numel()].view_as(p)
            offset += p.numel()


def main(rounds=10, micro=4):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 1))
    size = sum(p.numel() for p in net.parameters())
    source = torch.Generator().manual_seed(rank)
    box = Outbox(size, peer=1) if rank == 0 else Inbox(size, peer=0)
    if rank < 2:
        for _ in range(rounds):
            if rank == 0:
                for _ in range(micro):
                    box.add(gradient(net, torch.randn(16, 7, generator=source)))
                box.ship()
            else:
                apply(net, box.take(), rate=0.01 / micro)
    dist.barrier()
    if rank == 1:
        torch.save(net.state_dict(), os.environ.get("OUT", "streamed.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
