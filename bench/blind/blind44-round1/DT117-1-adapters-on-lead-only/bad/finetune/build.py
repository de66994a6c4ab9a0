import os

from torch import nn

from .adapters import inject, load_base


def backbone(dim=32):
    return nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, 4))


def build_model(weights, rank):
    """The first rank loads, DDP hands its values to the others."""
    model = backbone()
    if rank == 0:
        if os.path.exists(weights):
            load_base(model, weights)
        model = inject(model)
    return model
