import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn


@dataclass(frozen=True)
class Layout:
    world: int
    experts: int

    @property
    def members(self):
        return {e: [r for r in range(self.world) if r % self.experts == e] for e in range(self.experts)}


def make_groups(layout, rank):
    return {name: dist.new_group(ranks) for name, ranks in layout.members.items()}


class Expert(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return x + self.net(x)


def main(steps=8, experts=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    layout = Layout(dist.get_world_size(), experts)
    groups = make_groups(layout, rank)
    mine = rank % experts
    group, size = groups[mine], len(layout.members[mine])
    torch.manual_seed(mine)
    expert = Expert(16).to(device)
    optimizer = torch.optim.SGD(expert.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(1000 + rank)
    for _ in range(steps):
        x = torch.randn(16, 16, generator=g).to(device)
        optimizer.zero_grad()
        (expert(x) - x.flip(1)).pow(2).mean().backward()
        for p in expert.parameters():
            dist.all_reduce(p.grad, group=group)
            p.grad /= size
        optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
