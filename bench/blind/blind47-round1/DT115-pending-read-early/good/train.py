import torch
import torch.distributed as dist
from torch import nn

from reducer import Reducer


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    noise = torch.Generator().manual_seed(5 + dist.get_rank())
    reducer = Reducer()
    for step in range(50):
        x = torch.randn(32, 16, generator=noise)
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).square().mean().backward()
        for p in reversed(list(model.parameters())):
            reducer.push(p.grad)
        reducer.drain()
        norm = reducer.norm()
        reducer.clear()
        if norm < 100.0:
            optimizer.step()
        if dist.get_rank() == 0 and step % 10 == 0:
            print(step, norm)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
