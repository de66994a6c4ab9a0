import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn

from step import Stepper


def batches(rank, count, size=48):
    g = torch.Generator().manual_seed(7000 + rank)
    for _ in range(count):
        x = torch.randn(size, 16, generator=g)
        yield x, x.norm(dim=1, keepdim=True)


def main(steps=200):
    logging.basicConfig(level=logging.WARNING)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    step = Stepper(net, torch.optim.Adam(net.parameters(), lr=1e-3), device)
    good = 0
    for x, y in batches(dist.get_rank(), steps):
        loss = step(x, y)
        good += loss is not None
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "norm.pt")
        print(good, "good steps")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
