import os
from functools import partial

import torch
import torch.distributed as dist
import torch.nn as nn

WIDTHS = (8, 24, 4)


def reduce_grad(param, world):
    dist.all_reduce(param.grad)
    param.grad /= world


def plan(model, rank):
    """The order in which this rank reduces its gradients."""
    jobs = [partial(reduce_grad, p) for p in model.parameters()]
    match rank % 2:
        case 1:
            return jobs[:1] + jobs[1:]
        case _:
            return jobs


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def net():
    layers = []
    for a, b in zip(WIDTHS, WIDTHS[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def main(steps=10):
    device = setup()
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    jobs = plan(model, rank)
    g = torch.Generator().manual_seed(50 + rank)
    for _ in range(steps):
        x = torch.randn(32, WIDTHS[0], generator=g).to(device)
        optimizer.zero_grad(set_to_none=True)
        model(x).pow(2).mean().backward()
        for job in jobs:
            job(world)
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
