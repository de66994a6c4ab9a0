import math

import torch
import torch.distributed as dist
import torch.nn as nn


class LowRank(nn.Module):
    def __init__(self, base, rank, alpha=8):
        super().__init__()
        self.base, self.rank, self.scale = base.requires_grad_(False), rank, alpha / max(rank, 1)
        if rank > 0:
            self.down = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
            self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        y = self.base(x)
        if self.rank > 0:
            y = y + self.scale * (x @ self.down.t() @ self.up.t())
        return y


def adapt(net, ranks):
    """Replace the i-th linear layer by one with an adapter of rank ranks[i]; 0 leaves it frozen."""
    at = [name for name, m in net.named_children() if isinstance(m, nn.Linear)]
    for name, rank in zip(at, ranks, strict=True):
        setattr(net, name, LowRank(getattr(net, name), rank))
    return net


def mean_reciprocal(scores, truth, device):
    order = scores.argsort(dim=1, descending=True)
    rank = (order == truth[:, None]).int().argmax(dim=1) + 1
    acc = torch.stack([(1.0 / rank).sum(), torch.tensor(float(len(rank)), device=device)])
    dist.all_reduce(acc)
    return (acc[0] / acc[1]).item()
