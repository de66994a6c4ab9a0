import torch.nn as nn
import torch.nn.functional as F


class Regressor(nn.Module):
    def __init__(self, dim=16, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))

    def forward(self, x, y=None):
        return self.net(x) if y is None else self.training_loss(x, y)

    def training_loss(self, x, y):
        return F.huber_loss(self.net(x), y)
