import argparse
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def faces(n=4096, seed=1):
    gen = torch.Generator().manual_seed(seed)
    return TensorDataset(torch.rand(n, 1, 16, 16, generator=gen))


class AutoEncoder(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.down = nn.Sequential(nn.Flatten(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, dim))
        self.up = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, 256), nn.Sigmoid())

    def forward(self, x):
        return self.up(self.down(x)).view_as(x)


def write_samples(model, x, folder, epoch):
    with torch.no_grad():
        shown = model(x[:8]).cpu()
    if xr.global_ordinal() == 0:
        folder.mkdir(parents=True, exist_ok=True)
        torch.save(shown, folder / f"samples_{epoch:03d}.pt")


def worker(index, args):
    torch.manual_seed(0)
    device = xm.xla_device()
    model = AutoEncoder().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    data = faces()
    sampler = DistributedSampler(data, num_replicas=xr.world_size(), rank=xr.global_ordinal(), shuffle=True, drop_last=True)
    loader = pl.MpDeviceLoader(DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True), device)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            opt.zero_grad()
            F.binary_cross_entropy(model(x), x).backward()
            xm.optimizer_step(opt)
        write_samples(model, x, Path(args.out), epoch)
    xm.save(model.state_dict(), str(Path(args.out) / "model.pt"))
    xm.rendezvous("saved")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--out", default="faces")
    xmp.spawn(worker, args=(parser.parse_args(),))


if __name__ == "__main__":
    main()
