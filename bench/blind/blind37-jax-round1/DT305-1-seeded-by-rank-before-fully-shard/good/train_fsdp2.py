import os
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from net import Regressor


@dataclass
class TrainConfig:
    seed: int = 11
    epochs: int = 4
    batch_size: int = 64
    lr: float = 3e-4


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def build_model(mesh):
    model = Regressor().cuda()
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def train(cfg: TrainConfig):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    seed_everything(cfg.seed)
    model = build_model(mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)

    table = torch.load("table.pt", map_location="cpu")
    data = TensorDataset(table["x"], table["y"])
    sampler = DistributedSampler(data, shuffle=True, seed=cfg.seed, drop_last=True)
    loader = DataLoader(data, cfg.batch_size, sampler=sampler, drop_last=True, num_workers=2)
    seed_everything(cfg.seed + dist.get_rank())
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device="cuda")
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            x = x + 0.01 * torch.randn_like(x)
            loss = F.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            total += loss.detach()
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(epoch, total.item() / len(loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    train(TrainConfig())
