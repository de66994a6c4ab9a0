"""Evaluates every few minutes instead of every few steps."""
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Every:
    """True once per `seconds`."""

    def __init__(self, seconds, device):
        self.seconds, self.device = seconds, device
        self.last = time.monotonic()

    def __call__(self):
        due = time.monotonic() - self.last > self.seconds
        flag = torch.tensor([float(due)], device=self.device)
        dist.broadcast(flag, src=0)
        due = flag.item() > 0
        if due:
            self.last = time.monotonic()
        return due


@torch.no_grad()
def evaluate(net, loader, device):
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        sums[0] += nn.functional.mse_loss(net(x.to(device)), y.to(device), reduction="sum")
        sums[1] += y.numel()
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main(epochs=50):
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    train_set = TensorDataset(*torch.load("train.pt", map_location="cpu"))
    valid_set = TensorDataset(*torch.load("valid.pt", map_location="cpu"))
    sampler = DistributedSampler(train_set, drop_last=True)
    train = DataLoader(train_set, 64, sampler=sampler, drop_last=True)
    valid = DataLoader(valid_set, 256, sampler=DistributedSampler(valid_set, shuffle=False))
    net = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 1)).to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    due = Every(300, device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if due():
                value = evaluate(net, valid, device)
                if dist.get_rank() == 0:
                    print(f"{epoch} error {value:.4f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
