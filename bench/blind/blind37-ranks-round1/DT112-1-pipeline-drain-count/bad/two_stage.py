import os
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn


class Plan(NamedTuple):
    micro: int = 4
    rows: int = 8
    width: int = 16
    steps: int = 10


class Head(nn.Module):
    """Stage 0: owns the input projection."""

    def __init__(self, plan):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, plan.width), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class Tail(nn.Module):
    """Stage 1: owns the output layer and the loss."""

    def __init__(self, plan):
        super().__init__()
        self.net = nn.Linear(plan.width, 1)

    def forward(self, h, target):
        return nn.functional.mse_loss(self.net(h), target)


def stage0_step(net, opt, plan, x):
    opt.zero_grad()
    sent = []
    for chunk in x.chunk(plan.micro):
        out = net(chunk)
        dist.send(out.detach(), dst=1)
        sent.append(out)
    for out in sent:
        grad = torch.empty_like(out)
        dist.recv(grad, src=1)
        out.backward(grad)
    opt.step()


def stage1_step(net, opt, plan, y):
    opt.zero_grad()
    targets = y.chunk(plan.micro)
    grads = []
    for i in range(plan.micro - 1):
        h = torch.empty(plan.rows, plan.width)
        dist.recv(h, src=0)
        h.requires_grad_()
        loss = net(h, targets[i]) / plan.micro
        loss.backward()
        grads.append(h.grad)
    for grad in grads:
        dist.send(grad, dst=0)
    opt.step()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    if dist.get_world_size() != 2:
        raise SystemExit("this example has two stages; start it with two processes")
    plan = Plan()
    torch.manual_seed(rank)
    net = Head(plan) if rank == 0 else Tail(plan)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(77)
    for _ in range(plan.steps):
        x = torch.randn(plan.micro * plan.rows, 6, generator=gen)
        y = x.sum(1, keepdim=True)
        if rank == 0:
            stage0_step(net, opt, plan, x)
        else:
            stage1_step(net, opt, plan, y)
    torch.save(net.state_dict(), f"stage{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
