"""Column/row parallel MLP over all ranks of the job; every rank reads the same batch."""
import os

import torch
import torch.distributed as dist
from torch import nn


class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        grad = grad.clone()
        dist.all_reduce(grad)
        return grad


class ParallelMLP(nn.Module):
    def __init__(self, dim, hidden, world, rank):
        super().__init__()
        full_up, full_down = torch.randn(dim, hidden) / dim**0.5, torch.randn(hidden, dim) / hidden**0.5
        self.up = nn.Parameter(full_up.chunk(world, 1)[rank].clone())
        self.down = nn.Parameter(full_down.chunk(world, 0)[rank].clone())
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        h = torch.relu(Copy.apply(x) @ self.up)
        return self.drop(Gather.apply(h @ self.down))


def main(steps=100):
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(0)
    model = ParallelMLP(256, 1024, world, rank).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    rows = torch.Generator().manual_seed(1)
    for _ in range(steps):
        x = torch.randn(64, 256, generator=rows).cuda()
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        print(loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
