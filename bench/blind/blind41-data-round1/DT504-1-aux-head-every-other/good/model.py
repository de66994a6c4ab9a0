from torch import nn


class Segmenter(nn.Module):
    def __init__(self, classes=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU())
        self.body = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU())
        self.head = nn.Conv2d(32, classes, 1)
        self.aux_head = nn.Conv2d(16, classes, 1)

    def forward(self, x, with_aux=False):
        low = self.stem(x)
        out = self.head(self.body(low))
        if with_aux:
            return out, self.aux_head(low)
        return out, None
