import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from moments import Moments

BLOCKS = {"age": 3, "income": 3, "visits": 3, "region": 3}


def read_blocks(rank, rows=200):
    g = torch.Generator().manual_seed(50 + rank)
    return {name: torch.randn(rows, width, generator=g) for name, width in BLOCKS.items()}


def normalise(blocks, moments):
    return torch.cat([(blocks[n] - moments[n][0]) / moments[n][1] for n in BLOCKS], 1)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    blocks = read_blocks(rank)
    moments = Moments().measure(blocks)
    table = normalise(blocks, moments)
    torch.manual_seed(0)
    model = DDP(nn.Linear(table.shape[1], 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        for x in table.split(50):
            opt.zero_grad()
            (model(x).squeeze(1) - x[:, 0]).square().mean().backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
