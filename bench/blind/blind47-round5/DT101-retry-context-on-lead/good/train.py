import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from snapshot import Snapshots


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    snapshots = Snapshots(".")
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(100):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        optimizer.step()
        if step % 25 == 24:
            snapshots.keep(f"step{step}.pt", model.module.state_dict())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
