import torch


def clip_by_value(params, most):
    for p in params:
        if p.grad is not None:
            p.grad.clamp_(-most, most)


@torch.no_grad()
def decay(params, rate):
    for p in params:
        if p.dim() > 1:
            p.mul_(1 - rate)
