from typing import NamedTuple

import torch
from torch.nn import functional as F


class Parts(NamedTuple):
    label: torch.Tensor
    rebuild: torch.Tensor


def parts(model, x, y) -> Parts:
    logits, back = model(x)
    return Parts(F.cross_entropy(logits, y), F.mse_loss(back, x))


def total(p: Parts, window: int) -> torch.Tensor:
    return (p.label + p.rebuild) / window
