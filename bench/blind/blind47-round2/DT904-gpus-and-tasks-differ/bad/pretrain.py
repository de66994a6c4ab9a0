import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(64, 64).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters())
    noise = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(1000):
        optimizer.zero_grad()
        model(torch.randn(32, 64, generator=noise, device="cuda")).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
