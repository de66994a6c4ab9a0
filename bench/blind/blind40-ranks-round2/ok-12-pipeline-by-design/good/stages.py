import torch.nn as nn


def make_stage(index, count, dim=32):
    """Embedding first, head last, blocks between."""
    if index == 0:
        return nn.Sequential(nn.Linear(8, dim), nn.ReLU())
    if index == count - 1:
        return nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))
    return nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.ReLU())
