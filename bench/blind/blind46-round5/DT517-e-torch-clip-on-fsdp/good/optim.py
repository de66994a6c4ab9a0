from dataclasses import dataclass

import torch
from torch.nn.utils import clip_grad_norm_


@dataclass
class Clipping:
    max_norm: float = 1.0
    norm_type: float = 2.0

    def __call__(self, model):
        return model.clip_grad_norm_(self.max_norm, norm_type=self.norm_type)


def build_optimizer(model, lr):
    decay, rest = [], []
    for p in model.parameters():
        (decay if p.ndim > 1 else rest).append(p)
    return torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=lr)
