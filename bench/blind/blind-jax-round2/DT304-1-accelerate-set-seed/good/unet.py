import torch
from torch import nn


class PointUNet(nn.Module):
    def __init__(self, dim=8, width=64, steps=200):
        super().__init__()
        self.time = nn.Embedding(steps, width)
        self.down = nn.Linear(dim, width)
        self.mid = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.up = nn.Linear(width, dim)

    def forward(self, x, t):
        return self.up(self.mid(self.down(x) + self.time(t)))


class Schedule(nn.Module):
    def __init__(self, steps=200):
        super().__init__()
        self.steps = steps
        self.register_buffer("alpha_bar", torch.cumprod(1 - torch.linspace(1e-4, 0.05, steps), 0))

    def add_noise(self, x, noise, t):
        a = self.alpha_bar[t].unsqueeze(-1)
        return a.sqrt() * x + (1 - a).sqrt() * noise
