import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from sync import Place


def main():
    place = Place().enter()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 8).cuda(), device_ids=[place.local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator(device="cuda").manual_seed(place.rank)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(8, 8, generator=noise, device="cuda")).square().mean().backward()
        optimizer.step()
    place.wait()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
