import argparse
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from telemetry import NodeTelemetry


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--local-size", type=int, default=int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
    p.add_argument("--steps", type=int, default=8)
    p.add_argument("--flush-every", type=int, default=4)
    return p.parse_args()


def endless(loader, sampler):
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


def run(args):
    local_rank = dist.get_rank() % args.local_size
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    torch.manual_seed(0)
    net = nn.parallel.DistributedDataParallel(nn.Linear(20, 20).to(device))
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    images = TensorDataset(torch.randn(512, 20, generator=torch.Generator().manual_seed(9)))
    sampler = DistributedSampler(images, drop_last=True)
    batches = endless(DataLoader(images, batch_size=8, sampler=sampler, drop_last=True), sampler)
    telemetry = NodeTelemetry(local_rank, args.local_size, device)
    for step in range(1, args.steps + 1):
        start = time.perf_counter()
        (x,) = next(batches)
        x = x.to(device)
        loss = (net(x) - x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        telemetry.add(len(x), time.perf_counter() - start)
        if step % args.flush_every == 0:
            telemetry.flush(step)


if __name__ == "__main__":
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    run(options())
    dist.barrier()
    dist.destroy_process_group()
