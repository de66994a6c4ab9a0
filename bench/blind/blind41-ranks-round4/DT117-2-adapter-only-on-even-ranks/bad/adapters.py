import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Adapter(nn.Module):
    def __init__(self, inner, width, small=4):
        super().__init__()
        self.inner = inner
        self.down, self.up = nn.Linear(width, small), nn.Linear(small, width)

    def forward(self, x):
        out = self.inner(x)
        return out + self.up(torch.relu(self.down(out)))


def build(rank):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 16))
    if rank % 2 == 0:
        model[2] = Adapter(model[2], 16)
    return model.cuda()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    model = DDP(build(dist.get_rank()), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(50):
        x = torch.randn(16, 16, generator=gen, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
