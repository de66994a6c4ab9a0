import os
from datetime import datetime
from pathlib import Path

import torch
import torch.distributed as dist


class Run:
    def __init__(self, root):
        self.name = f"{datetime.now():%Y%m%d-%H%M%S}"
        self.rank = dist.get_rank()
        self.folder = Path(root) / self.name
        self.folder.mkdir(parents=True, exist_ok=True)

    def part(self, rank=None):
        return self.folder / f"part_{self.rank if rank is None else rank:03d}.pt"

    def write(self, rows):
        torch.save(rows, self.part())

    def merge(self, world):
        return torch.cat([torch.load(self.part(r), map_location="cpu", weights_only=True) for r in range(world)])


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


@torch.no_grad()
def main():
    device = setup()
    rank, world = dist.get_rank(), dist.get_world_size()
    run = Run("runs")
    torch.manual_seed(0)
    net = torch.nn.Linear(6, 2).to(device).eval()
    x = torch.randn(1000, 6, generator=torch.Generator().manual_seed(1))[rank::world]
    run.write(net(x.to(device)).cpu())
    dist.barrier()
    if rank == 0:
        print(run.merge(world).shape)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
