import os
import random
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


@dataclass
class Config:
    steps: int = 500
    probe_rate: float = 0.02
    seed: int = 77


class Augment:
    """Random shifts and flips; the ranks should not all do the same."""

    def __init__(self, seed, rank):
        self.draw = random.Random(seed + rank)

    def __call__(self, x):
        x = torch.roll(x, self.draw.randint(-3, 3), dims=1)
        return x.flip(1) if self.draw.random() < 0.5 else x


class Probe:
    """Now and then: how alike are the features of the ranks?"""

    def __init__(self, model, rate, draw):
        self.model, self.rate, self.draw = model, rate, draw
        self.rows = []

    def maybe(self, step, x):
        if self.draw.random() >= self.rate:
            return
        with torch.no_grad():
            mine = self.model.module.features(x).mean(dim=0)
        every = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
        dist.all_gather(every, mine)
        self.rows.append((step, torch.stack(every).std(dim=0).mean().item()))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(64, 128), nn.ReLU())
        self.head = nn.Linear(128, 64)

    def forward(self, x):
        return self.head(self.features(x))


def main():
    cfg = Config()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(cfg.seed)
    model = DDP(Net().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    augment = Augment(cfg.seed, rank)
    probe = Probe(model, cfg.probe_rate, augment.draw)
    gen = torch.Generator().manual_seed(cfg.seed + rank)
    for step in range(cfg.steps):
        x = torch.randn(32, 64, generator=gen)
        opt.zero_grad()
        F.mse_loss(model(augment(x).to(device)), x.to(device)).backward()
        opt.step()
        probe.maybe(step, x.to(device))
    if rank == 0:
        print(probe.rows)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
