import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, r, bias=False)
        self.up = nn.Linear(r, base.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


def inject(model, r=4):
    for name, child in list(model.named_children()):
        if isinstance(child, nn.Linear):
            setattr(model, name, Adapter(child, r))
        else:
            inject(child, r)
    return model


def load_base(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
