"""Warm-up/linear schedule next to accumulation."""
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from transformers import get_linear_schedule_with_warmup


def main(epochs=6, every=4, lr=3e-4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 8)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr)
    windows = len(loader) // every
    total = epochs * windows
    schedule = get_linear_schedule_with_warmup(optimizer, total // 20, total)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for number, (x, y) in zip(range(windows * every), loader):
            last = (number + 1) % every == 0
            with contextlib.nullcontext() if last else model.no_sync():
                loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda()) / every
                loss.backward()
            if last:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
