import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.ff = nn.LayerNorm(dim), nn.Linear(dim, dim)

    def forward(self, x):
        return x + torch.relu(self.ff(self.norm(x)))


class Stack(nn.Module):
    def __init__(self, dim, depth, drop):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 1)
        self.drop = drop

    def forward(self, x):
        for block in self.blocks:
            if self.training and torch.rand(()).item() < self.drop:
                continue
            x = block(x)
        return self.out(x)
