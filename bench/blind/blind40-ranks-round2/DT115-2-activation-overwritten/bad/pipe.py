import torch
import torch.distributed as dist
import torch.nn as nn


class Stage:
    """One of two stages: the first sends its activations on, the second returns their gradients."""

    def __init__(self, net, rank, shape, device):
        self.net, self.rank, self.device = net, rank, device
        self.outbox = torch.empty(shape, device=device)
        self.inbox = torch.empty(shape, device=device)

    def first(self, x):
        h = self.net(x)
        self.outbox.copy_(h.detach())
        dist.isend(self.outbox, dst=1)
        grad = torch.empty_like(h)
        pending = dist.irecv(grad, src=1)
        self.outbox.zero_()
        pending.wait()
        h.backward(grad)

    def second(self, y):
        dist.recv(self.inbox, src=0)
        h = self.inbox.clone().requires_grad_()
        loss = nn.functional.mse_loss(self.net(h), y)
        loss.backward()
        dist.send(h.grad, dst=0)
        return loss.detach()
