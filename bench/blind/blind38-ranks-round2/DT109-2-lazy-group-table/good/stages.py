import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Groups:
    """Process groups by name, made when they are needed."""

    def __init__(self, **layout):
        self.layout = layout
        self._made = {}

    def __getitem__(self, name):
        if name not in self._made:
            self._made[name] = dist.new_group(self.layout[name])
        return self._made[name]

    def make_all(self):
        for name in self.layout:
            self[name]


class Part(nn.Module):
    def __init__(self, last, dim=32):
        super().__init__()
        self.last = last
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.ReLU())
        self.head = nn.Linear(dim, 4) if last else nn.Identity()

    def forward(self, x):
        return self.head(self.body(x))


def step(part, rank, half, gen):
    """The first half of the ranks feeds the second half."""
    if not part.last:
        x = torch.randn(16, 32, generator=gen)
        hidden = part(x)
        dist.send(hidden.detach(), dst=rank + half)
        grad = torch.empty_like(hidden)
        dist.recv(grad, src=rank + half)
        hidden.backward(grad)
        return None
    received = torch.empty(16, 32)
    dist.recv(received, src=rank - half)
    received.requires_grad_(True)
    loss = F.cross_entropy(part(received), received.detach()[:, :4].argmax(1))
    loss.backward()
    dist.send(received.grad, dst=rank - half)
    return loss.detach()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    half = world // 2
    groups = Groups(body=list(range(half)), head=list(range(half, world)))
    groups.make_all()
    last = rank >= half
    torch.manual_seed(int(last))
    part = Part(last)
    opt = torch.optim.SGD(part.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(100 + rank)
    for number in range(int(os.environ.get("STEPS", "50"))):
        opt.zero_grad()
        loss = step(part, rank, half, gen)
        group = groups["head" if last else "body"]
        for p in part.parameters():
            dist.all_reduce(p.grad, group=group)
            p.grad /= half
        opt.step()
        if last:
            dist.all_reduce(loss, group=group)
            if rank == half:
                print(number, loss.item() / half)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
