import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


import json
import sys


def read_config(path, rank):
    """Only the first rank reads, and a failure to read is everybody's."""
    box = [None, None]
    if rank == 0:
        try:
            with open(path) as f:
                box[0] = json.load(f)
        except (OSError, ValueError) as e:
            box[1] = str(e)
    dist.broadcast_object_list(box, src=0)
    if box[1] is not None:
        if rank == 0:
            print("cannot read", path, box[1], file=sys.stderr)
        dist.destroy_process_group()
        sys.exit(2)
    return box[0]


def main():
    rank, world, local = start()
    cfg = read_config(sys.argv[1], rank)
    mine = [None]
    dist.scatter_object_list(mine, [{"lr": cfg["lr"], "rank": r} for r in range(world)] if rank == 0 else None, src=0)
    assert mine[0]["rank"] == rank
    model = DDP(nn.Linear(8, cfg.get("out", 1)).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), mine[0]["lr"])
    data = toy()
    sampler = DistributedSampler(data)
    for epoch in range(cfg["epochs"]):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, cfg["batch"], sampler=sampler):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if cfg.get("barrier"):
            dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
