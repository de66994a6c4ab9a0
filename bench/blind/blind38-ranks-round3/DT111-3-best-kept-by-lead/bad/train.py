import argparse
import math
import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard


class Tracker:
    def __init__(self):
        self.best, self.best_epoch = math.inf, -1

    def improved(self, loss):
        return loss < self.best

    def note(self, loss, epoch):
        self.best, self.best_epoch = loss, epoch


def batches(count, seed, device, size=48):
    gen = torch.Generator().manual_seed(seed)
    for _ in range(count):
        x = torch.randn(size, 30, generator=gen).to(device)
        yield x, torch.stack([x.amin(1), x.amax(1)], dim=1)


def validate(model, device):
    with torch.no_grad():
        losses = [F.mse_loss(model(x), y) for x, y in batches(10, 900 + dist.get_rank(), device)]
    mean = torch.stack(losses).mean()
    dist.all_reduce(mean)
    return mean.item() / dist.get_world_size()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--out", default="ckpt")
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 2)).to(device)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    tracker = Tracker()
    for epoch in range(args.epochs):
        for x, y in batches(100, 1000 * epoch + rank, device):
            opt.zero_grad()
            F.mse_loss(model(x), y).backward()
            opt.step()
        loss = validate(model, device)
        if tracker.improved(loss):
            dcp.save({"model": get_model_state_dict(model)}, checkpoint_id=f"{args.out}/epoch_{epoch}")
            if rank == 0:
                tracker.note(loss, epoch)
                print(f"epoch {epoch}: best so far, {loss:.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
