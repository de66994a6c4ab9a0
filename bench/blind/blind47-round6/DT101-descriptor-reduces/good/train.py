import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from counts import Counts


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    counts = Counts()
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(100):
        x = torch.randn(8, 4, generator=noise)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        counts.add(int((x > 0).sum()), int((x <= 0).sum()))
    tokens = counts.tokens
    if dist.get_rank() == 0:
        print("tokens:", tokens)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
