import os

import torch
import torch.distributed as dist
from torch import nn


class Chain:
    """One temperature of replica exchange; neighbours swap their weights now and then."""

    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        self.temperature = 1.0 + 0.5 * rank
        torch.manual_seed(rank)
        self.net = nn.Linear(8, 1)
        self.noise = torch.Generator().manual_seed(1000 + rank)

    def walk(self, steps):
        for _ in range(steps):
            x = torch.randn(64, 8, generator=self.noise)
            loss = (self.net(x) - x.norm(dim=1, keepdim=True)).square().mean()
            grads = torch.autograd.grad(loss, list(self.net.parameters()))
            with torch.no_grad():
                for p, grad in zip(self.net.parameters(), grads):
                    p -= 0.01 * grad + 0.001 * self.temperature * torch.randn(p.shape, generator=self.noise)

    def partner(self, round_number):
        """Even rounds pair 0-1, 2-3, …; odd rounds 1-2, 3-4, …"""
        other = self.rank + 1 if (self.rank + round_number) % 2 == 0 else self.rank - 1
        return other if 0 <= other < self.world else None

    @torch.no_grad()
    def swap(self, round_number):
        other = self.partner(round_number)
        if other is None:
            return
        mine = nn.utils.parameters_to_vector(self.net.parameters())
        theirs = torch.empty_like(mine)
        dist.recv(theirs, src=other)
        dist.send(mine, dst=other)
        nn.utils.vector_to_parameters(theirs, self.net.parameters())


def main():
    dist.init_process_group("gloo")
    chain = Chain(dist.get_rank(), dist.get_world_size())
    for round_number in range(int(os.environ.get("ROUNDS", 6))):
        chain.walk(steps=20)
        chain.swap(round_number)
    torch.save(chain.net.state_dict(), f"chain_{chain.rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
