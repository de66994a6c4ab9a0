from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Placement:
    rank: int
    size: int


@dataclass
class Setup:
    name: str
    placement: Placement


def main():
    dist.init_process_group("gloo")
    setup = Setup("run", Placement(dist.get_rank(), dist.get_world_size()))
    total = torch.ones(1)
    if setup.placement.rank == 0:
        dist.barrier()
    else:
        dist.all_reduce(total)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
