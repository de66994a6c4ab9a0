import torch
import torch.nn as nn


class TwoHeads(nn.Module):
    def __init__(self, dim=22, width=44, classes=4):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, width), nn.ReLU())
        self.classify = nn.Linear(width, classes)
        self.reconstruct = nn.Linear(width, dim)

    def forward(self, x, with_reconstruction=False):
        h = self.trunk(x)
        if with_reconstruction:
            return self.classify(h), self.reconstruct(h)
        return self.classify(h), None
