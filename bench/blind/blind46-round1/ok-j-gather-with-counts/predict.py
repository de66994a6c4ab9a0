import csv
import os
from itertools import chain
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn


def keep(scores, ids, threshold):
    return [(int(i), float(s)) for i, s in zip(ids, scores) if s > threshold]


def write_csv(path, rows):
    with path.open("w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["id", "score"])
        out.writerows(sorted(rows))


@torch.inference_mode()
def main(threshold=0.5, total=1000):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1), nn.Sigmoid()).to(device).eval()
    x = torch.randn(total, 10, generator=torch.Generator().manual_seed(4))
    ids = torch.arange(rank, total, world)
    kept = keep(net(x[ids].to(device)).squeeze(1), ids, threshold)
    parts = [None] * world if rank == 0 else None
    dist.gather_object(kept, parts, dst=0)
    if parts is not None:
        write_csv(Path("kept.csv"), chain.from_iterable(parts))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
