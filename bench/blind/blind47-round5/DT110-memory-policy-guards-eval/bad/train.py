import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from policies import All, EnoughMemory, Every


@torch.no_grad()
def validate(model, device):
    error = model.module(torch.ones(64, 16, device=device)).square().mean()
    dist.all_reduce(error)
    return error.item() / dist.get_world_size()


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    device = torch.device("cuda", local)
    model = DistributedDataParallel(nn.Linear(16, 16).to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters())
    policy = All((Every(50), EnoughMemory()))
    noise = torch.Generator(device=device).manual_seed(dist.get_rank())
    for step in range(500):
        optimizer.zero_grad()
        model(torch.randn(8, 16, generator=noise, device=device)).square().mean().backward()
        optimizer.step()
        if policy.allows(step):
            error = validate(model, device)
            if dist.get_rank() == 0:
                print(step, error)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
