import dataclasses
import functools

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


class Cell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, x):
        return x + self.f(x)


@dataclasses.dataclass
class Experiment:
    dim: int = 256
    depth: int = 6
    lr: float = 1e-3
    model: nn.Module = None
    optimizer: torch.optim.Optimizer = None

    def __post_init__(self):
        self.model = nn.Sequential(nn.Linear(30, self.dim), *(Cell(self.dim) for _ in range(self.depth)), nn.Linear(self.dim, 2))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.lr)

    def wrap(self):
        self.model = FSDP(self.model, auto_wrap_policy=ModuleWrapPolicy({Cell}), device_id=torch.cuda.current_device())
        return self
