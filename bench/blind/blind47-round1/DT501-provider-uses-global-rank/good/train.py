import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from topology import Devices, Topology


def main():
    topology = Topology.from_environment()
    device = Devices(topology).claim()
    dist.init_process_group("nccl", rank=topology.rank, world_size=topology.world)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(32, 32).to(device), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters())
    noise = torch.Generator(device=device).manual_seed(topology.rank)
    for _ in range(1000):
        optimizer.zero_grad(set_to_none=True)
        model(torch.randn(64, 32, generator=noise, device=device)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
