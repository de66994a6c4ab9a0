import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import order


def main(name="tuesday"):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), 1e-6)
    for epoch in range(3):
        numbers = order.shuffled(range(1000), f"{name}-{epoch}")
        for n in order.part(numbers, dist.get_rank(), dist.get_world_size()):
            x = torch.tensor([[float(n)]])
            optimizer.zero_grad()
            (model(x) - x).square().sum().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
