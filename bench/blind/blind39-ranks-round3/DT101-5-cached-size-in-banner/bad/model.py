from functools import cached_property

import torch
import torch.distributed as dist
from torch import nn


class ColumnLinear(nn.Module):
    """Each rank keeps its slice of the output features."""

    def __init__(self, inputs, outputs, world):
        super().__init__()
        assert outputs % world == 0
        self.slice = nn.Linear(inputs, outputs // world)

    def forward(self, x):
        return self.slice(x)


class SplitClassifier(nn.Module):
    def __init__(self, rank, world, inputs=24, hidden=64, classes=6):
        super().__init__()
        self.rank, self.world = rank, world
        self.up = ColumnLinear(inputs, hidden, world)
        self.down = nn.Linear(hidden // world, classes, bias=False)

    def forward(self, x):
        return self.down(self.up(x).relu())

    @cached_property
    def size(self):
        """Parameters over all slices."""
        mine = torch.tensor([sum(p.numel() for p in self.parameters())], device=self.down.weight.device)
        dist.all_reduce(mine)
        return int(mine)
