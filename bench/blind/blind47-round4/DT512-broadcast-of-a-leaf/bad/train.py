import torch
import torch.distributed as dist
from torch import nn

from sync import Synchroniser


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = Synchroniser()(nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(20):
        optimizer.zero_grad()
        net(torch.randn(16, 4, generator=noise)).square().mean().backward()
        for p in net.parameters():
            dist.all_reduce(p.grad)
            p.grad.div_(dist.get_world_size())
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
