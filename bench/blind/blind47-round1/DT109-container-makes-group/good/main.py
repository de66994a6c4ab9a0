import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from container import Container
from services import Reporter, World


def wire() -> Container:
    box = Container()
    box.provide(World, lambda c: World())
    box.provide(Reporter, lambda c: Reporter(c.get(World)))
    return box


def main():
    box = wire()
    world = box.get(World)
    reporter = box.get(Reporter)
    torch.manual_seed(0)
    device = torch.device("cuda", torch.cuda.current_device())
    model = DistributedDataParallel(nn.Linear(8, 8).to(device), device_ids=[device.index])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    noise = torch.Generator(device=device).manual_seed(world.rank)
    for step in range(100):
        x = torch.randn(16, 8, generator=noise, device=device)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        if world.lead and step % 20 == 0:
            reporter.add(f"step {step}")
            reporter.flush("report.txt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
