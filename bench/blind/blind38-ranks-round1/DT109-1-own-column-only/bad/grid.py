import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Grid:
    """rows x columns of ranks; activations travel along rows, gradients along columns."""

    def __init__(self, columns):
        self.world, self.rank = dist.get_world_size(), dist.get_rank()
        self.columns = columns
        self.row, self.column = divmod(self.rank, columns)
        self.row_group = dist.new_group([r for r in range(self.world) if r // columns == self.row])
        self.column_group = dist.new_group([r for r in range(self.world) if r % columns == self.column])

    @property
    def replicas(self):
        return self.world // self.columns


class RowParallel(nn.Module):
    def __init__(self, grid, dim, hidden):
        super().__init__()
        assert hidden % grid.columns == 0
        self.grid = grid
        gen = torch.Generator().manual_seed(40 + grid.column)
        part = hidden // grid.columns
        self.up = nn.Parameter(torch.randn(dim, part, generator=gen) * dim**-0.5)
        self.down = nn.Parameter(torch.randn(part, dim, generator=gen) * hidden**-0.5)

    def forward(self, x):
        partial = torch.relu(x @ self.up) @ self.down
        whole = partial.detach().clone()
        dist.all_reduce(whole, group=self.grid.row_group)
        return partial + (whole - partial.detach())


def average_gradients(module, grid):
    for p in module.parameters():
        dist.all_reduce(p.grad, group=grid.column_group)
        p.grad.div_(grid.replicas)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    grid = Grid(columns=int(os.environ.get("COLUMNS", "2")))
    layer = RowParallel(grid, dim=16, hidden=64).to(device)
    opt = torch.optim.SGD(layer.parameters(), lr=0.05)
    draw = torch.Generator().manual_seed(900 + grid.row)
    for _ in range(100):
        x = torch.randn(32, 16, generator=draw).to(device)
        opt.zero_grad()
        (layer(x) - x.flip(-1)).square().mean().backward()
        average_gradients(layer, grid)
        opt.step()
    torch.save(layer.state_dict(), f"layer_{grid.rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
