import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class Place:
    rank: int | None = None
    world: int | None = None

    def resolved(self):
        rank = dist.get_rank() if self.rank is None else self.rank
        world = dist.get_world_size() if self.world is None else self.world
        return Place(rank, world)

    @property
    def main(self):
        return self.rank == 0

    def __bool__(self):
        return self.rank is not None


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    place = Place().resolved()
    x = torch.arange(12.0, device="cuda" if cuda else "cpu")[place.rank :: place.world].sum()
    dist.all_reduce(x)
    if place and place.main:
        print(x.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
