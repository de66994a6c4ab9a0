import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def largest(value):
    pieces = [torch.zeros_like(value) for _ in range(dist.get_world_size())]
    dist.all_gather(pieces, value)
    return torch.stack(pieces).max()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(12, 12).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(200):
        x = torch.randn(8, 12, generator=gen, device="cuda")
        loss = (model(x) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        peak = largest(x.norm())
        for group in opt.param_groups:
            group["lr"] = 0.1 / (1.0 + peak.item())
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
