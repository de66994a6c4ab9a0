import os
from functools import partial

import torch
import torch.distributed as dist
from torch import nn

from factories import Recipe, assemble


def mlp():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64))


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    parts = assemble(Recipe(build=mlp, optimizer=partial(torch.optim.AdamW, lr=1e-3)))
    noise = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(100):
        x = torch.randn(16, 64, generator=noise, device="cuda")
        parts.optimizer.zero_grad()
        (parts.model(x) - x).square().mean().backward()
        parts.optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
