import torch
import torch.distributed as dist
from torch import nn

from roles import Role


def main():
    dist.init_process_group("gloo")
    role = Role.mine()
    torch.manual_seed(0)
    model = nn.Linear(4, 4)
    for p in model.parameters():
        dist.broadcast(p.data, src=role.source())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
