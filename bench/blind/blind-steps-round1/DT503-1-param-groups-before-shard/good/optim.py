import torch
from torch import nn


def decay_groups(model: nn.Module, weight_decay: float):
    decay = [p for p in model.parameters() if p.requires_grad and p.ndim >= 2]
    plain = [p for p in model.parameters() if p.requires_grad and p.ndim < 2]
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]


def build_optimizer(model: nn.Module, lr: float, weight_decay: float = 0.1) -> torch.optim.Optimizer:
    return torch.optim.AdamW(decay_groups(model, weight_decay), lr=lr, betas=(0.9, 0.95))
