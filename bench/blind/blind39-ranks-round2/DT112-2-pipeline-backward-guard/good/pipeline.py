import os

import torch
import torch.distributed as dist
from torch import nn

BATCH, WIDTH = 16, 24


class Stage:
    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        torch.manual_seed(rank)
        self.block = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh())
        self.optimizer = torch.optim.SGD(self.block.parameters(), lr=0.05)
        self.is_first, self.is_last = rank == 0, rank == world - 1

    def forward(self, batch):
        if self.is_first:
            self.received = batch
        else:
            self.received = torch.empty(BATCH, WIDTH)
            dist.recv(self.received, src=self.rank - 1)
            self.received.requires_grad_()
        self.output = self.block(self.received)
        if not self.is_last:
            dist.send(self.output.detach(), dst=self.rank + 1)

    def backward(self, target):
        if self.is_last:
            nn.functional.mse_loss(self.output, target).backward()
        else:
            gradient = torch.empty(BATCH, WIDTH)
            dist.recv(gradient, src=self.rank + 1)
            self.output.backward(gradient)
        if not self.is_first:
            dist.send(self.received.grad, dst=self.rank - 1)

    def step(self, batch, target):
        self.optimizer.zero_grad(set_to_none=True)
        self.forward(batch)
        self.backward(target)
        self.optimizer.step()


def batches(steps):
    g = torch.Generator().manual_seed(42)
    for _ in range(steps):
        x = torch.randn(BATCH, WIDTH, generator=g)
        yield x, x.flip(1).sin()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    stage = Stage(rank, world)
    for x, y in batches(steps=50):
        stage.step(x, y)
    torch.save(stage.block.state_dict(), os.path.join(os.environ.get("OUT", "."), f"stage_{rank}.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
