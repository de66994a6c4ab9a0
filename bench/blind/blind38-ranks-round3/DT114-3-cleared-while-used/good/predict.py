import argparse
import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 4))


def my_slice(total, rank, world):
    per_rank = total // world
    return range(rank * per_rank, (rank + 1) * per_rank)


class Parts:
    """A folder with one file for each rank."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def fresh(self):
        if self.rank == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
        dist.barrier()

    def write(self, rows):
        torch.save(rows, self.folder / f"part_{self.rank:05d}.pt")

    def join(self):
        dist.barrier()
        if self.rank == 0:
            rows = [torch.load(self.folder / f"part_{r:05d}.pt", map_location="cpu") for r in range(self.world)]
            torch.save(torch.cat(rows), self.folder / "all.pt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--total", type=int, default=65_536)
    parser.add_argument("--out", default="predictions")
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    parts = Parts(args.out)
    parts.fresh()
    model = build().to(device).eval()
    found = []
    with torch.inference_mode():
        for row in my_slice(args.total, parts.rank, parts.world):
            x = torch.randn(1, 16, generator=torch.Generator().manual_seed(row))
            found.append(model(x.to(device)).cpu())
    parts.write(torch.cat(found))
    parts.join()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
