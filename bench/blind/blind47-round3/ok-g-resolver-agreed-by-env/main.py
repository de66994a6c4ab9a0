import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo")
    folder = Path("runs") / os.environ["RUN_NAME"]
    if dist.get_rank() == 0:
        folder.mkdir(parents=True)
    dist.barrier()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    g = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=g)).square().mean().backward()
        optimizer.step()
    torch.save(g.get_state(), folder / f"rng{dist.get_rank()}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
