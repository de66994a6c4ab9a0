"""Gradient accumulation with DDP where the last window may be short."""
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def windows(loader, size):
    """Yields (batch, length of its window, last of its window)."""
    total = len(loader)
    for i, batch in enumerate(loader):
        start = i // size * size
        length = min(size, total - start)
        yield batch, length, i == start + length - 1


def main(epochs=6, size=8):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 16)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x, y), length, last in windows(loader, size):
            with contextlib.nullcontext() if last else model.no_sync():
                loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda()) / length
                loss.backward()
            if last:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "accumulated.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
