import contextlib

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def sync_context(model, i, accumulate):
    return contextlib.nullcontext() if (i + 1) % accumulate == 0 else model.no_sync()


def train_epoch(model, loader, optimizer, accumulate):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        with sync_context(model, i, accumulate):
            loss = F.mse_loss(model(x), y) / accumulate
            loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def main(epochs=2, accumulate=4):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(4096, 10)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        train_epoch(model, loader, optimizer, accumulate)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
