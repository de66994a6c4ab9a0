import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Settings:
    rows: int = 1001
    batch: int = 25
    epochs: int = 2
    lr: float = 0.02


def share_of(indices, rank, world):
    usable = len(indices) // world * world
    return np.array_split(indices[:usable], world)[rank]


def batches(indices, size):
    for start in range(0, len(indices), size):
        yield indices[start : start + size]


def average_gradients(model):
    world = dist.get_world_size()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad.div_(world)


def main():
    cfg = Settings()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
    for parameter in model.parameters():
        dist.broadcast(parameter.data, src=0)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    x = torch.randn(cfg.rows, 5, generator=torch.Generator().manual_seed(8))
    y = x.prod(dim=1)
    for epoch in range(cfg.epochs):
        order = np.random.default_rng(epoch).permutation(cfg.rows)
        for index in batches(share_of(order, rank, world), cfg.batch):
            pick = torch.from_numpy(index)
            prediction = model(x[pick].to(device))[:, 0]
            optimizer.zero_grad()
            F.mse_loss(prediction, y[pick].to(device)).backward()
            average_gradients(model)
            optimizer.step()
    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
