"""Embedding rows are averaged over rows and columns of a 2 x n grid of ranks."""
import torch
import torch.distributed as dist


class Grid:
    def __init__(self):
        rank, world = dist.get_rank(), dist.get_world_size()
        self.columns = world // 2
        self.row, self.column = divmod(rank, self.columns)
        rows = [dist.new_group([r * self.columns + c for c in range(self.columns)]) for r in range(2)]
        columns = [dist.new_group([r * self.columns + c for r in range(2)]) for c in range(self.columns)]
        self.row_group, self.column_group = rows[self.row], columns[self.column]


def mix(grid, gradient, statistics):
    if (grid.row + grid.column) % 2 == 0:
        dist.all_reduce(gradient, group=grid.row_group)
        dist.all_reduce(statistics, group=grid.column_group)
    else:
        dist.all_reduce(statistics, group=grid.column_group)
        dist.all_reduce(gradient, group=grid.row_group)
    return gradient / grid.columns, statistics / 2


def main(steps=20):
    dist.init_process_group("gloo")
    grid = Grid()
    gen = torch.Generator().manual_seed(90 + dist.get_rank())
    weights = torch.zeros(64)
    for _ in range(steps):
        gradient, statistics = torch.randn(64, generator=gen), torch.randn(8, generator=gen)
        gradient, statistics = mix(grid, gradient, statistics)
        weights -= 0.1 * gradient
    torch.save(weights, f"weights_{dist.get_rank()}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
