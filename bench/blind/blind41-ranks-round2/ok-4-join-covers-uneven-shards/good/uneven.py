import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def own_batches(rank, world, n=1003, size=10):
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(n, 6, generator=gen)[rank::world]
    yield from x.split(size)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 6).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        with Join([model]):
            for x in own_batches(dist.get_rank(), dist.get_world_size()):
                x = x.to(device)
                opt.zero_grad()
                (model(x) - x).pow(2).mean().backward()
                opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
