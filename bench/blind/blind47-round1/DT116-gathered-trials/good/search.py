from typing import NamedTuple, Optional

import torch
import torch.distributed as dist
from torch import nn


class Trial(NamedTuple):
    lr: float
    loss: float


def try_rate(lr: float, seed: int) -> Trial:
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(128, 4, generator=g)
    layer = nn.Linear(4, 1)
    with torch.no_grad():
        layer.weight.fill_(0.1)
        layer.bias.zero_()
    optimizer = torch.optim.SGD(layer.parameters(), lr=lr)
    for _ in range(20):
        loss = (layer(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Trial(lr, loss.item())


def pool(mine: Trial) -> list[Optional[Trial]]:
    trials: list[Optional[Trial]] = [None] * dist.get_world_size()
    dist.all_gather_object(trials, mine)
    return trials
