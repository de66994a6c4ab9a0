import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

ROOT = Path("/shared/cubes")


def point_to(link, target):
    if link.is_symlink():
        link.unlink()
    link.symlink_to(target.name)


def save(model, epoch):
    target = ROOT / f"cubes-{epoch:04d}.pt"
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), target)
    dist.barrier()
    point_to(ROOT / "latest.pt", target)


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    ROOT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 1)).to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(1)
    x = torch.rand(8192, 12, generator=gen)
    data = TensorDataset(x, x.pow(3).sum(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        save(model, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
