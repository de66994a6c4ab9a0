import torch
import torch.distributed as dist
from torch import nn

from pairs.gossip import Gossip


def main(steps=50):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    gossip = Gossip()
    torch.manual_seed(0)
    net = nn.Linear(5, 5)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(rank)
    for _ in range(steps):
        x = torch.randn(16, 5, generator=g)
        opt.zero_grad()
        (net(x) - x).square().mean().backward()
        opt.step()
        gossip.mix(net.parameters())
    torch.save(net.state_dict(), f"net{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
