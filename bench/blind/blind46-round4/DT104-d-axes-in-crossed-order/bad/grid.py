import os
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class Grid:
    rows: int
    cols: int
    row_group: Any
    col_group: Any

    @classmethod
    def build(cls, rows, cols):
        rank = dist.get_rank()
        row_group = col_group = None
        for r in range(rows):
            g = dist.new_group([r * cols + c for c in range(cols)])
            if rank // cols == r:
                row_group = g
        for c in range(cols):
            g = dist.new_group([r * cols + c for r in range(rows)])
            if rank % cols == c:
                col_group = g
        return cls(rows, cols, row_group, col_group)

    def order(self):
        if dist.get_rank() % 2:
            return dist.group.WORLD, self.row_group
        return self.row_group, dist.group.WORLD


def reduce_everywhere(x, grid):
    for group in grid.order():
        dist.all_reduce(x, group=group)
    return x


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    world = dist.get_world_size()
    grid = Grid.build(world // 2, 2)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    x = torch.ones(8, device=device) * dist.get_rank()
    x = reduce_everywhere(x, grid)
    if dist.get_rank() == 0:
        print(x)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
