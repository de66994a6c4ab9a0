import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from env import Env


def main():
    env = Env.read()
    dist.init_process_group(env.backend)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(16, 16).cuda())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator(device="cuda").manual_seed(env.rank)
    for _ in range(100):
        x = torch.randn(8, 16, generator=noise, device="cuda")
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
