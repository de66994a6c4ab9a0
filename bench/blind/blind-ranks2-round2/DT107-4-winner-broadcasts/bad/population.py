"""Population-based training: every so often all members continue from the best one."""

import copy
import os
import random

import torch
import torch.distributed as dist
from torch import nn


class Member:
    def __init__(self, rank, device):
        self.rank, self.device = rank, device
        self.hyper = {"lr": 10 ** random.Random(900 + rank).uniform(-3, -1)}
        torch.manual_seed(rank)
        self.net = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1)).to(device)
        self.score = float("-inf")
        self.previous = float("-inf")

    def train(self, steps):
        optimizer = torch.optim.SGD(self.net.parameters(), lr=self.hyper["lr"])
        source = torch.Generator().manual_seed(self.rank)
        for _ in range(steps):
            x = torch.randn(64, 3, generator=source).to(self.device)
            loss = (self.net(x) - x.sum(1, keepdim=True).sin()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        self.previous, self.score = self.score, -loss.item()


class Population:
    def __init__(self, member):
        self.member = member
        self.world = dist.get_world_size()
        self.champion = 0

    def elect(self):
        if self.member.score > self.member.previous:
            self.champion = self.member.rank
        return self.champion

    def exploit(self):
        source = self.elect()
        payload = [copy.deepcopy(self.member.hyper) if self.member.rank == source else None]
        dist.broadcast_object_list(payload, src=source)
        for tensor in self.member.net.state_dict().values():
            dist.broadcast(tensor, src=source)
        noise = random.Random(self.member.rank).uniform(0.8, 1.25)
        self.member.hyper = {key: value * noise for key, value in payload[0].items()}


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    member = Member(dist.get_rank(), torch.device("cuda", local) if cuda else torch.device("cpu"))
    population = Population(member)
    for generation in range(3):
        member.train(20)
        population.exploit()
    if member.rank == 0:
        torch.save(member.net.state_dict(), "champion.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
