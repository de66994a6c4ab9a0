"""Accumulation by a generator of (batch, last) pairs."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def in_windows(loader, size):
    whole = len(loader) // size * size
    for number, batch in zip(range(whole), loader):
        yield batch, (number + 1) % size == 0


def main(epochs=5, size=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 8)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x, y), last in in_windows(loader, size):
            optimizer.zero_grad(set_to_none=True)
            model.require_backward_grad_sync = last
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            (loss / size).backward()
            if last:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "window.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
