import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from runtime import Runtime, agree_on


def run(name):
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(50):
        x = torch.randn(16, 4, generator=torch.Generator().manual_seed(step * dist.get_world_size() + dist.get_rank()))
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
        optimizer.step()
    if dist.get_rank() == 0:
        os.makedirs(name, exist_ok=True)
        torch.save(model.module.state_dict(), os.path.join(name, "model.pt"))


if __name__ == "__main__":
    run_name = agree_on(time.strftime("run-%H%M%S"))
    with Runtime():
        run(run_name)
