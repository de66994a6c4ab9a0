import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()) for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


class Classifier(nn.Module):
    def __init__(self, width=32, depth=3, classes=5):
        super().__init__()
        self.encoder = Encoder(width, depth)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def freeze_prefixes(model, prefixes):
    """Turns gradients off for the named parts and says how many parameters that were."""
    frozen = 0
    for name, parameter in model.named_parameters():
        if name.startswith(tuple(prefixes)):
            parameter.requires_grad_(False)
            frozen += parameter.numel()
    return frozen
