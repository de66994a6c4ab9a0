import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from groups import Groups


def main():
    dist.init_process_group("gloo")
    groups = Groups()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4), process_group=groups.own)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
