import os
import random

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Tasks:
    """Small regression tasks; every rank draws its own."""

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def sample(self, n=32):
        slope = torch.randn(1, generator=self.gen)
        x = torch.rand(n, 1, generator=self.gen)
        return torch.cat([x, slope.expand(n, 1)], 1), slope * x


def fixed_score(net, device):
    tasks = Tasks(seed=0)
    with torch.no_grad():
        losses = []
        for _ in range(8):
            x, y = tasks.sample()
            losses.append(nn.functional.mse_loss(net(x.to(device)), y.to(device)))
    total = torch.stack(losses).mean()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def main(steps=400, rate=0.02):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    random.seed(1000 + rank)
    net = nn.Sequential(nn.Linear(2, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    tasks = Tasks(seed=50 + rank)
    draw = random.random
    for step in range(steps):
        x, y = tasks.sample()
        if random.random() < 0.5:
            x = x + 0.01 * torch.randn(x.shape, generator=tasks.gen)
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if draw() < rate:
            score = fixed_score(net, device)
            if rank == 0:
                print(f"{step}: {score:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
