import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def throughput(samples, seconds, device):
    rate = torch.tensor(samples / seconds, device=device)
    dist.reduce(rate, dst=0)
    return rate.item() if dist.get_rank() == 0 else None


def main(steps=100, batch=64):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(512, 512).to(device), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    gen = torch.Generator(device=device).manual_seed(dist.get_rank())
    start = time.perf_counter()
    for _ in range(steps):
        x = torch.randn(batch, 512, generator=gen, device=device)
        opt.zero_grad()
        (model(x) - x).abs().mean().backward()
        opt.step()
    torch.cuda.synchronize()
    rate = throughput(steps * batch, time.perf_counter() - start, device)
    if rate is not None:
        print(f"{rate:.0f} samples/s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
