import os

import torch
import torch.distributed as dist
import torch.nn as nn

from line import Line


def main(steps=60):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    line = Line()
    torch.manual_seed(0)
    cell = nn.Linear(2, 1).to(device)
    opt = torch.optim.SGD(cell.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(10 + rank)
    for step in range(steps):
        value = torch.rand(8, 1, generator=gen).to(device)
        left = line.shift(value)
        loss = (cell(torch.cat([left, value], 1)) - (left + value) / 2).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        for p in cell.parameters():
            dist.all_reduce(p.grad)
            p.grad /= world
        opt.step()
    if rank == world - 1:
        print([round(p, 3) for p in cell.weight.flatten().tolist()])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
