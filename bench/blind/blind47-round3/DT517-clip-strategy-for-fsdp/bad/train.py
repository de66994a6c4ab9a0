import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from strategy import choose


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = FSDP(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32)), device_id=local)
    optimizer = torch.optim.AdamW(model.parameters())
    clip = choose(model, 1.0)
    noise = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(100):
        x = torch.randn(16, 32, generator=noise, device="cuda")
        optimizer.zero_grad()
        (model(x) - x).square().mean().backward()
        clip(model)
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
