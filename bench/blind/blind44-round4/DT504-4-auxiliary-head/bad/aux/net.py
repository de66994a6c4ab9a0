import torch
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 32), nn.ReLU())
        self.main, self.extra = nn.Linear(32, 4), nn.Linear(32, 2)

    def forward(self, x, extra=False):
        h = self.body(x)
        return self.main(h), self.extra(h) if extra else None
