import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from session import session


def main():
    with session() as rank:
        torch.manual_seed(0)
        model = DistributedDataParallel(nn.Linear(4, 4))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        noise = torch.Generator().manual_seed(rank)
        for _ in range(10):
            optimizer.zero_grad()
            model(torch.randn(8, 4, generator=noise)).square().mean().backward()
            optimizer.step()


if __name__ == "__main__":
    main()
