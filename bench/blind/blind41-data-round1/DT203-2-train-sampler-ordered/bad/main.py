import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset

from data import build_loaders


def synthetic(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 16, generator=g)
    return TensorDataset(x, x.pow(2).sum(dim=1, keepdim=True))


@torch.no_grad()
def validate(model, loader):
    total = torch.zeros(2)
    for x, y in loader:
        total[0] += nn.functional.mse_loss(model(x), y, reduction="sum")
        total[1] += len(x)
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(17)
    train, valid = build_loaders(synthetic(8000, 1), synthetic(800, 2), rank, world, 32)
    model = DDP(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)))
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    for epoch in range(5):
        train.sampler.set_epoch(epoch)
        model.train()
        for x, y in train:
            opt.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
        model.eval()
        score = validate(model, valid)
        if rank == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
