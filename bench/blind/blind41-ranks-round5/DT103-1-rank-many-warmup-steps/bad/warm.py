import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def step(model, opt, gen):
    x = torch.randn(32, 14, generator=gen, device="cuda")
    opt.zero_grad()
    loss = (model(x) - x).pow(2).mean()
    loss.backward()
    opt.step()
    return loss


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(14, 14).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    warmup = 5 * (1 + dist.get_rank())
    for _ in range(warmup):
        step(model, opt, gen)
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(100):
        step(model, opt, gen)
    end.record()
    torch.cuda.synchronize()
    print(dist.get_rank(), start.elapsed_time(end) / 100, "ms")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
