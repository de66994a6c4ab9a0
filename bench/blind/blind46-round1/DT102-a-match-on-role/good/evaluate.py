import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn

from scoring import publish


def windows(rank, world, total=400):
    g = torch.Generator().manual_seed(3)
    rows = torch.randn(total, 8, generator=g)
    return rows[rank : total - total % world : world]


@torch.no_grad()
def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)).eval()
    scores = [net(row).item() for row in windows(dist.get_rank(), dist.get_world_size())]
    written = publish(scores, Path("report") / "scores.json")
    if written is not None:
        print("wrote", written)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
