import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from session import journal


def batches(folder, rank, count):
    for i in range(count):
        yield torch.load(f"{folder}/{rank}_{i}.pt", weights_only=True)


def main(folder="tensors", count=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 4).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    with journal("run", rank) as entry:
        for x in batches(folder, rank, count):
            x = x.to(device)
            opt.zero_grad()
            (model(x) - x).square().mean().backward()
            opt.step()
        entry["batches"] = count
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
