import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from job import distributed


@distributed
def main(device, steps=50):
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4).to(device))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise).to(device)).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
