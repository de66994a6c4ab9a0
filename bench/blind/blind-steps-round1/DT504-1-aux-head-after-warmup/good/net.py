from torch import nn


class SegNet(nn.Module):
    """Encoder with a main decoder and an auxiliary edge decoder that joins late."""

    def __init__(self, width: int = 24, aux_from: int = 50):
        super().__init__()
        self.aux_from = aux_from
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.Sequential(nn.GroupNorm(4, width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))
        self.mask = nn.Conv2d(width, 1, 1)
        self.edge = nn.Conv2d(width, 1, 1)

    def forward(self, image, step: int):
        features = self.body(self.stem(image))
        out = {"mask": self.mask(features)}
        if step >= self.aux_from:
            out["edge"] = self.edge(features)
        return out
