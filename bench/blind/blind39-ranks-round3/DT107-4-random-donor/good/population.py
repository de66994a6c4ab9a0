import os
import random

import torch
import torch.distributed as dist
from torch import nn


class Member:
    """One learner for each rank; now and then everybody goes on from the weights of one of them."""

    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        torch.manual_seed(7 * rank + 1)
        self.net = nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 1))
        self.rate = 10 ** (-1 - rank / 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=self.rate)
        self.draw = random.Random(2024)

    def learn(self, steps, generator):
        for _ in range(steps):
            x = torch.randn(32, 6, generator=generator)
            loss = nn.functional.mse_loss(self.net(x), x.prod(dim=1, keepdim=True))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def exchange(self):
        donor = self.draw.randrange(self.world)
        for p in self.net.parameters():
            dist.broadcast(p.data, src=donor)
        return donor


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    member = Member(rank, world)
    generator = torch.Generator().manual_seed(rank)
    for round_number in range(8):
        member.learn(25, generator)
        donor = member.exchange()
        if rank == 0:
            print(f"round {round_number}: weights of rank {donor}")
    torch.save(member.net.state_dict(), os.path.join(os.environ.get("OUT", "."), f"member_{rank}.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
