import torch
import torch.distributed as dist
from torch import nn

from registry import LAYOUT, Registry


def tower(role):
    if role == "encoder":
        return nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 4))
    return nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 12))


@torch.no_grad()
def average(net, group, size):
    for p in net.parameters():
        dist.all_reduce(p.grad, group=group)
        p.grad.div_(size)


def main():
    dist.init_process_group("gloo")
    if dist.get_world_size() != 4:
        raise SystemExit("two encoders and two decoders")
    groups = Registry()
    role = Registry.role(dist.get_rank())
    torch.manual_seed(0)
    net = tower(role)
    opt = torch.optim.SGD(net.parameters(), lr=0.02)
    gen = torch.Generator().manual_seed(200 + dist.get_rank())
    for step in range(20):
        width = 12 if role == "encoder" else 4
        x = torch.randn(16, width, generator=gen)
        opt.zero_grad()
        net(x).square().mean().backward()
        if role == "encoder":
            average(net, groups["encoder"], len(LAYOUT["encoder"]))
        else:
            average(net, groups["decoder"], len(LAYOUT["decoder"]))
        opt.step()
    if dist.get_rank() in (0, 2):
        torch.save(net.state_dict(), f"{role}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
