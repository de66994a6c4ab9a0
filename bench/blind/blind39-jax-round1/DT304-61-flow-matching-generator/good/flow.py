import torch
from torch import nn


class VelocityField(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=-1))


class FlowMatching:
    """Straight paths from noise to data; the caller owns the generator."""

    def __init__(self, generator):
        self.generator = generator

    def loss(self, model, x1):
        t = torch.rand(x1.shape[0], 1, generator=self.generator, device=x1.device)
        x0 = torch.randn(x1.shape, generator=self.generator, device=x1.device)
        xt = (1 - t) * x0 + t * x1
        return (model(xt, t) - (x1 - x0)).pow(2).mean()
