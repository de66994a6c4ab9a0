import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.lin = nn.Linear(dim, dim)

    def forward(self, x):
        return self.lin(torch.relu(self.norm(x)))


class DeepNet(nn.Module):
    def __init__(self, dim=32, depth=8, drop=0.2):
        super().__init__()
        self.blocks = nn.ModuleList([Residual(dim) for _ in range(depth)])
        self.drop = drop
        self.out = nn.Linear(dim, 4)

    def forward(self, x):
        for block in self.blocks:
            keep = 1.0
            if self.training:
                keep = (torch.rand(()) >= self.drop).float().to(x.device)
            x = x + keep * block(x)
        return self.out(x)
