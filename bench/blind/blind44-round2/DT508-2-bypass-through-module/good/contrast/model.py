from torch import nn


class Encoder(nn.Module):
    def __init__(self, d=20):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, 16))

    def encode(self, x):
        return self.body(x)

    def forward(self, x):
        return self.encode(x)
