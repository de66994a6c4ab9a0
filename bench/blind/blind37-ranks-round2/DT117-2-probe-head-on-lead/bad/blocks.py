from torch import nn


class Encoder(nn.Module):
    """An autoencoder with an optional linear probe on the code."""

    def __init__(self, width=20, code=6):
        super().__init__()
        self.down = nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, code))
        self.up = nn.Sequential(nn.Linear(code, 16), nn.ReLU(), nn.Linear(16, width))
        self.probe = None

    def attach_probe(self, classes):
        self.probe = nn.Linear(self.down[-1].out_features, classes)

    def forward(self, x):
        return self.up(self.down(x))

    def probed(self, x):
        return self.probe(self.down(x).detach())
