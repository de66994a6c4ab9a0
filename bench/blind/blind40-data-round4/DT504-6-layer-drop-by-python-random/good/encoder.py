import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.mlp(self.norm(x))


class Encoder(nn.Module):
    def __init__(self, dim=32, depth=6, layer_drop=0.2):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.head = nn.Linear(dim, 4)
        self.layer_drop = layer_drop

    def forward(self, x):
        for block in self.blocks:
            if self.training and torch.rand(()).item() < self.layer_drop:
                continue
            x = block(x)
        return self.head(x)
