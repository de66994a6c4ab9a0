from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, dim=36, code=6, monitor=False):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 24), nn.ReLU(), nn.Linear(24, code))
        self.decoder = nn.Sequential(nn.Linear(code, 24), nn.ReLU(), nn.Linear(24, dim))
        if monitor:
            # predicts the energy of the input: tells how much the code still knows
            self.monitor = nn.Linear(code, 1)
        else:
            self.monitor = None

    def forward(self, x):
        code = self.encoder(x)
        energy = self.monitor(code) if self.monitor is not None else None
        return self.decoder(code), energy
