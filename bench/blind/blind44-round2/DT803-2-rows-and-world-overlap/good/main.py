import torch
import torch.distributed as dist

from grid.groups import Grid
from grid.stats import Stats


def main():
    dist.init_process_group("gloo")
    stats = Stats(Grid(columns=2))
    x = torch.full((3,), float(dist.get_rank()))
    row, total = stats.both(x)
    if dist.get_rank() == 0:
        print((row / total).tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
