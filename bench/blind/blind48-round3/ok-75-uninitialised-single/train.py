import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


DISTRIBUTED = int(os.environ.get("RANK", -1)) != -1


def all_mean(value):
    if DISTRIBUTED:
        dist.all_reduce(value)
        value /= dist.get_world_size()
    return value.item()


def main():
    rank = int(os.environ.get("RANK", 0))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    if DISTRIBUTED:
        dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    raw = build_model().to(device)
    model = DDP(raw, device_ids=[device.index] if cuda else None) if DISTRIBUTED else raw
    optimizer = torch.optim.AdamW(raw.parameters(), lr=1e-3)
    ds = WindowDataset()
    sampler = DistributedSampler(ds, drop_last=True) if DISTRIBUTED else None
    loader = DataLoader(ds, batch_size=16, sampler=sampler, shuffle=sampler is None, drop_last=True)
    for epoch in range(2):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        mean = all_mean(loss.detach().clone())
        if rank == 0:
            print(f"epoch {epoch} last loss {mean:.4f}")
    if DISTRIBUTED:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
