"""Hand-written pipeline over p2p, with first/last stage roles."""
import torch
import torch.distributed as dist
import torch.nn as nn

MICRO = 4


class Stage:
    def __init__(self, rank, world, width):
        self.rank, self.world = rank, world
        self.first, self.last = rank == 0, rank == world - 1
        layers = [nn.Linear(width, width), nn.ReLU()]
        if self.last:
            layers.append(nn.Linear(width, 1))
        self.module = nn.Sequential(*layers)
        self.width = width

    def forward(self, x):
        if not self.first:
            x = torch.empty(8, self.width)
            dist.recv(x, src=self.rank - 1)
            x.requires_grad_()
        y = self.module(x)
        if not self.last:
            dist.send(y.detach(), dst=self.rank + 1)
        return x, y

    def backward(self, x, y, target):
        if self.last:
            nn.functional.mse_loss(y, target).backward()
        else:
            grad = torch.empty_like(y)
            dist.recv(grad, src=self.rank + 1)
            y.backward(grad)
        if not self.first:
            dist.send(x.grad, dst=self.rank - 1)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    stage = Stage(rank, world, 32)
    optimizer = torch.optim.SGD(stage.module.parameters(), 0.01)
    data = torch.Generator().manual_seed(3)
    for step in range(20):
        xs = torch.randn(MICRO, 8, 32, generator=data)
        ys = xs.sum(-1, keepdim=True)
        saved = [stage.forward(xs[m]) for m in range(MICRO)]
        optimizer.zero_grad()
        for m, (x, y) in enumerate(saved):
            stage.backward(x, y, ys[m])
        optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
