import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self, rank):
        super().__init__()
        self.rank = rank
        self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = x + self.second(x)
        return x


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(Net(dist.get_rank()).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(50):
        x = torch.randn(8, 16, generator=gen, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
