import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class First:
    def __init__(self, peer):
        self.net, self.peer = nn.Linear(16, 32), peer

    @torch.no_grad()
    def evaluate(self, x, y):
        dist.send(self.net(x).contiguous(), dst=self.peer)
        dist.send(y, dst=self.peer)


class Last:
    def __init__(self, peer):
        self.net, self.peer = nn.Linear(32, 1), peer

    @torch.no_grad()
    def evaluate(self, n, with_loss):
        hidden = torch.empty(n, 32)
        dist.recv(hidden, src=self.peer)
        out = self.net(F.gelu(hidden))
        if not with_loss:
            return out, None
        y = torch.empty(n, 1)
        dist.recv(y, src=self.peer)
        return out, F.mse_loss(out, y)
