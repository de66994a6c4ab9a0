import argparse
import functools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Cell:
    def __init__(self, size, device):
        world = dist.get_world_size()
        lists = [list(range(first, first + size)) for first in range(0, world, size)]
        self.group, _ = dist.new_subgroups_by_enumeration(lists)
        self.device = device
        self.net = nn.Linear(4, 4).to(device)

    @functools.cached_property
    def wrapped(self):
        return DDP(self.net, process_group=self.group)

    def mean(self, value):
        value = value.detach().clone()
        dist.all_reduce(value, group=self.group)
        return value / dist.get_world_size(self.group)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cell", type=int, default=int(os.environ.get("LOCAL_WORLD_SIZE", 1)))
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    cell = Cell(args.cell, device)
    rank or print(f"{sum(p.numel() for p in cell.net.parameters())} parameters")
    model = cell.wrapped
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.Generator().manual_seed(30 + rank)
    for step in range(10):
        x = torch.randn(8, 4, generator=data).to(device)
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = cell.mean(loss)
        rank or print(f"step {step} loss {mean.item():.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
