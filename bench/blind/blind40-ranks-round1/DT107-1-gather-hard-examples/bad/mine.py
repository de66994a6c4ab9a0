import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class HardBank:
    """The hardest examples of the last epoch, of all ranks, for inspection."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.rows = []

    def collect(self, feats, losses, threshold):
        hard = feats[losses > threshold].contiguous()
        parts = [torch.empty_like(hard) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, hard)
        self.rows.append(torch.cat(parts).cpu())

    def drain(self):
        rows, self.rows = self.rows, []
        return torch.cat(rows) if rows else torch.empty(0)


def load():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(768, 10, generator=g)
    y = (x.sum(1) > 0).long()
    return TensorDataset(x, y)


def fit(args, device, rank):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    data = load()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch, sampler=sampler, drop_last=True)
    bank = HardBank(args.keep)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            x, y = x.to(device), y.to(device)
            per_row = F.cross_entropy(model(x), y, reduction="none")
            opt.zero_grad(set_to_none=True)
            per_row.mean().backward()
            opt.step()
            if i % args.every == 0:
                bank.collect(x, per_row.detach(), args.threshold)
        rows = bank.drain()
        if rank == 0:
            torch.save(rows, f"hard_{epoch}.pt")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--keep", type=int, default=4)
    p.add_argument("--every", type=int, default=4)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--threshold", type=float, default=0.6)
    args = p.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    fit(args, torch.device("cuda", local_rank) if cuda else torch.device("cpu"), dist.get_rank())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
