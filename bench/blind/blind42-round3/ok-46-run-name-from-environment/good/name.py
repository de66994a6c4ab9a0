import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn


def folder():
    name = [None]
    if dist.get_rank() == 0:
        name = [os.environ.get("RUN_NAME", time.strftime("%m%d_%H%M%S"))]
    dist.broadcast_object_list(name, src=0)
    path = Path("/shared/runs", name[0])
    path.mkdir(parents=True, exist_ok=True)
    return path


def main():
    dist.init_process_group("gloo")
    path = folder()
    torch.manual_seed(0)
    net = nn.Linear(8, 8)
    torch.save(net.state_dict(), path / f"rank_{dist.get_rank()}.pt")
    dist.barrier()
    first = torch.load(path / "rank_0.pt", map_location="cpu")
    assert all(torch.equal(a, b) for a, b in zip(first.values(), net.state_dict().values()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
