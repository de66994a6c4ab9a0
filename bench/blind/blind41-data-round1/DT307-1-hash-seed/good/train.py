import os
import random

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset, TensorDataset
import zlib


def experiment_seed(name):
    return zlib.crc32(name.encode()) % 2**31


def rank_subset(data, seed):
    order = list(range(len(data)))
    random.Random(seed).shuffle(order)
    per_rank = len(order) // dist.get_world_size()
    start = dist.get_rank() * per_rank
    return Subset(data, order[start : start + per_rank])


def main(name="ablation-b"):
    dist.init_process_group("gloo")
    seed = experiment_seed(name)
    torch.manual_seed(0)
    x = torch.randn(4096, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    loader = DataLoader(rank_subset(data, seed), batch_size=64, shuffle=True, drop_last=True)
    model = DDP(nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        for xb, yb in loader:
            optimizer.zero_grad()
            F.mse_loss(model(xb), yb).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), f"{name}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
