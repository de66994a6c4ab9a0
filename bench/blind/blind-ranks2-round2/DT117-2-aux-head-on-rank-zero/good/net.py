import torch
from torch import nn


class TwoHeads(nn.Module):
    """A classifier whose auxiliary head reconstructs the input."""

    def __init__(self, width=24, classes=6):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, 48), nn.ReLU())
        self.main = nn.Linear(48, classes)
        self.aux = nn.Linear(48, width)

    def forward(self, x, reconstruct=False):
        hidden = self.trunk(x)
        logits = self.main(hidden)
        if reconstruct:
            return logits, self.aux(hidden)
        return logits, None


def total_loss(logits, labels, rebuilt, x, weight=0.1):
    loss = nn.functional.cross_entropy(logits, labels)
    if rebuilt is not None:
        loss = loss + weight * nn.functional.mse_loss(rebuilt, x)
    return loss
