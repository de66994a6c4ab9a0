"""Starts from an empty output folder and keeps a sample of the predictions of every epoch in it."""
import argparse
import json
import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def fresh(folder):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def readings(rows=5000):
    g = torch.Generator().manual_seed(0)
    x = torch.rand(rows, 6, generator=g)
    return TensorDataset(x, (x * torch.arange(6)).sum(dim=1, keepdim=True))


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--out", type=Path, default=Path("readings"))
    cli.add_argument("--epochs", type=int, default=4)
    args = cli.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    out = args.out
    if rank == 0:
        fresh(out)
    dist.barrier()
    torch.manual_seed(0)
    rows = readings()
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=50, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            guess = model(x.to(device))
            loss = nn.functional.mse_loss(guess, y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        (out / f"sample-{epoch}-{rank}.json").write_text(json.dumps(guess[:5].flatten().tolist()))
        if rank == 0:
            torch.save(model.module.state_dict(), out / "last.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
