import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from data import build_loader


def network(classes):
    def block(cin, cout):
        return nn.Sequential(nn.Conv2d(cin, cout, 3, 2, 1), nn.GroupNorm(8, cout), nn.ReLU(inplace=True))

    return nn.Sequential(block(3, 32), block(32, 64), block(64, 128), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, classes))


def train_epoch(model, loader, optimizer, device):
    model.train()
    for patches, labels in loader:
        patches, labels = patches.to(device, non_blocking=True), labels.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(patches), labels, label_smoothing=0.1).backward()
        optimizer.step()


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    hits = torch.zeros(2, device=device)
    for patches, labels in loader:
        guess = model(patches.to(device)).argmax(dim=1)
        hits[0] += (guess == labels.to(device)).sum()
        hits[1] += len(labels)
    dist.all_reduce(hits)
    return (hits[0] / hits[1]).item()


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("root")
    cli.add_argument("--classes", type=int, default=9)
    cli.add_argument("--epochs", type=int, default=20)
    cli.add_argument("--batch-size", type=int, default=64)
    cli.add_argument("--workers", type=int, default=4)
    args = cli.parse_args()

    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(7)

    train_loader = build_loader(args.root, "training", args.batch_size, args.workers)
    val_loader = build_loader(args.root, "validation", args.batch_size, args.workers)
    model = DDP(network(args.classes).to(device), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)

    for epoch in range(args.epochs):
        train_loader.sampler.set_epoch(epoch)
        train_epoch(model, train_loader, optimizer, device)
        schedule.step()
        top1 = accuracy(model, val_loader, device)
        if dist.get_rank() == 0:
            print(f"{epoch:3d} top1={top1:.4f}", flush=True)
            torch.save(model.module.state_dict(), "patches.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
