import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, dim=20, width=48, classes=6):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, width), nn.GELU(), nn.Linear(width, width))
        self.heads = nn.ModuleDict({"main": nn.Linear(width, classes)})

    def attach(self, name, out):
        self.heads[name] = nn.Linear(self.heads["main"].in_features, out)
        return self

    def forward(self, x):
        h = self.body(x)
        return {name: head(h) for name, head in self.heads.items()}
