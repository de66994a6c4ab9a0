import os
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Schedule:
    """Draws once for all which steps are followed by a look at the gradient norms of all ranks."""

    def __init__(self, steps, share, seed=99):
        coin = random.Random(seed)
        self.looks = {step for step in range(steps) if coin.random() < share}

    def __contains__(self, step):
        return step in self.looks


def norms(model):
    mine = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
    everyone = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(everyone, mine)
    return [round(one.item(), 4) for one in everyone]


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    random.seed(rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 10).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(800, 10, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    schedule = Schedule(steps=3 * len(loader), share=0.1)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device) * (1 + 0.1 * random.random())
            optimizer.zero_grad()
            (model(x) - x).square().mean().backward()
            if step in schedule:
                found = norms(model)
                if rank == 0:
                    print(step, found)
            optimizer.step()
            step += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
