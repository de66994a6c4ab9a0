import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Hooks:
    def __init__(self):
        self.before, self.after = [], []

    def on(self, name):
        def keep(fn):
            getattr(self, name).append(fn)
            return fn

        return keep


hooks = Hooks()


@hooks.on("after")
def preview(model, step):
    if dist.get_rank() == 0 and step % 50 == 0:
        with torch.no_grad():
            out = model.module(torch.zeros(1, 8, device="cuda"))
        print(step, out.norm().item())


@hooks.on("after")
def align(model, step):
    if step % 50 == 0:
        dist.barrier()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 8).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(200):
        x = torch.randn(16, 8, generator=gen, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
        for hook in hooks.after:
            hook(model, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
