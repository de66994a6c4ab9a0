import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from registry import Weights


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    weights = Weights(model.module)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(200):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        optimizer.step()
        if step % 20 == 19:
            weights.best = model.module.state_dict()
            if weights.version % 2 == 0:
                weights.publish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
