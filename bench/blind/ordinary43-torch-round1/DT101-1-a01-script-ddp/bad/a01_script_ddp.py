"""Plain script in the style of a tutorial, with everything in main()."""
import argparse
import os
import random
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch-size", type=int, default=256, help="global batch size")
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--out", default="runs/exp")
    p.add_argument("--resume", default="")
    p.add_argument("--evaluate", action="store_true")
    return p.parse_args()


def main():
    args = parse()
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    random.seed(args.seed + rank)
    np.random.seed(args.seed + rank)
    torch.manual_seed(args.seed + rank)

    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    model = DDP(model, device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    start_epoch, best = 0, 0.0
    if args.resume and os.path.isfile(args.resume):
        ckpt = torch.load(args.resume, map_location=device)
        model.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optimizer"])
        scheduler.load_state_dict(ckpt["scheduler"])
        start_epoch, best = ckpt["epoch"] + 1, ckpt["best"]

    train = TensorDataset(torch.randn(5120, 32), torch.randint(0, 10, (5120,)))
    val = TensorDataset(torch.randn(1024, 32), torch.randint(0, 10, (1024,)))
    train_sampler = DistributedSampler(train, shuffle=True, drop_last=True)
    val_sampler = DistributedSampler(val, shuffle=False)
    per_rank = args.batch_size // world
    train_loader = DataLoader(train, per_rank, sampler=train_sampler, num_workers=2, pin_memory=True, drop_last=True)
    val_loader = DataLoader(val, per_rank, sampler=val_sampler, num_workers=2, pin_memory=True)

    if args.evaluate:
        acc = validate(val_loader, model, device)
        if rank == 0:
            print("acc", acc)
        dist.destroy_process_group()
        return

    if rank == 0:
        os.makedirs(args.out, exist_ok=True)
    for epoch in range(start_epoch, args.epochs):
        train_sampler.set_epoch(epoch)
        begin = time.time()
        train_one(train_loader, model, optimizer, device, epoch, rank)
        scheduler.step()
        acc = validate(val_loader, model, device)
        is_best = acc > best
        best = max(acc, best)
        if rank == 0:
            print(f"epoch {epoch} acc {acc:.3f} took {time.time() - begin:.1f}s")
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                     "scheduler": scheduler.state_dict(), "epoch": epoch, "best": best}
            torch.save(state, os.path.join(args.out, "last.pt"))
            if is_best:
                torch.save(state, os.path.join(args.out, "best.pt"))
    dist.destroy_process_group()


def train_one(loader, model, optimizer, device, epoch, rank):
    model.train()
    for i, (x, y) in enumerate(loader):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if i % 20 == 0 and rank == 0:
            logged = loss.detach().clone()
            dist.all_reduce(logged, op=dist.ReduceOp.AVG)
            if True:
                print(epoch, i, logged.item())


@torch.no_grad()
def validate(loader, model, device):
    model.eval()
    counts = torch.zeros(2, device=device)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        counts[0] += (model(x).argmax(1) == y).sum()
        counts[1] += y.numel()
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


if __name__ == "__main__":
    main()
