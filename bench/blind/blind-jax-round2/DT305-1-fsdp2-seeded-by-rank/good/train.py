import dataclasses

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import setup


@dataclasses.dataclass
class Config:
    seed: int = 100
    epochs: int = 2
    batch: int = 16
    dim: int = 32
    layers: int = 2


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim), nn.Dropout(0.1))

    def forward(self, x):
        return x + self.ff(self.norm(x))


def build(cfg, device):
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    model = nn.Sequential(*[Block(cfg.dim) for _ in range(cfg.layers)], nn.Linear(cfg.dim, 1)).to(device)
    for layer in model:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def table(cfg):
    g = torch.Generator().manual_seed(cfg.seed)
    x = torch.randn(512, cfg.dim, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def main(cfg):
    device = setup.start()
    rank = dist.get_rank()
    setup.seed_everything(cfg.seed)
    model = build(cfg, device)
    setup.seed_everything(cfg.seed + rank)
    optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = table(cfg)
    sampler = DistributedSampler(data, seed=cfg.seed, drop_last=True)
    loader = DataLoader(data, cfg.batch, sampler=sampler, drop_last=True)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optim.step()
            optim.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Config())
