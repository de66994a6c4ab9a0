import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from parts import Registry


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", default="residual", choices=["plain", "residual"])
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*(Registry.parts[args.part](8) for _ in range(3))))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.randn(8, 8, generator=noise)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
