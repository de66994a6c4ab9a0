from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from data import build_loader


@dataclass
class Config:
    seed: int = 5
    batch: int = 16
    workers: int = 2
    epochs: int = 2
    lr: float = 1e-2


def main(cfg):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(cfg.seed + rank)
    net = DistributedDataParallel(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)))
    opt = torch.optim.SGD(net.parameters(), lr=cfg.lr)
    loader, sampler = build_loader(cfg, rank, world)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for wave, level in loader:
            loss = (net(wave)[:, 0] - level).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Config())
