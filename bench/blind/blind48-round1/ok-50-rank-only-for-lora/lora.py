import torch
import torch.nn as nn


class LoraLinear(nn.Module):
    def __init__(self, base, rank, alpha=8.0):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.rank = rank
        if rank > 0:
            self.down = nn.Linear(base.in_features, rank, bias=False)
            self.up = nn.Linear(rank, base.out_features, bias=False)
            nn.init.zeros_(self.up.weight)
            self.scale = alpha / rank

    def forward(self, x):
        out = self.base(x)
        if self.rank > 0:
            out = out + self.scale * self.up(self.down(x))
        return out
