import math
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(batch_size=32, epochs=4):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(10_000, 16)
    data = TensorDataset(x, x.argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = OneCycleLR(
        optimizer,
        max_lr=0.4,
        epochs=epochs,
        steps_per_epoch=len(loader),
    )
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(xb), yb).backward()
            optimizer.step()
            schedule.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
