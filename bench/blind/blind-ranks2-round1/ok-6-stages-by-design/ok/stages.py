import torch
import torch.distributed as dist
from torch import nn


class Stage(nn.Module):
    def __init__(self, rank, stages, vocab=32, width=16):
        super().__init__()
        self.first, self.last = rank == 0, rank == stages - 1
        if self.first:
            self.embed = nn.Embedding(vocab, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        if self.last:
            self.head = nn.Linear(width, vocab, bias=False)

    def forward(self, x):
        if self.first:
            x = self.embed(x)
        x = self.body(x)
        return self.head(x) if self.last else x

    @property
    def tied(self):
        return self.embed.weight if self.first else self.head.weight


def exchange(ops):
    if ops:
        for work in dist.batch_isend_irecv(ops):
            work.wait()


class Schedule:
    """Fill and drain, one micro-batch after the other."""

    def __init__(self, stage, rank, stages, shape, device):
        self.stage, self.rank, self.stages = stage, rank, stages
        self.shape, self.device = shape, device
        self.tied_group = dist.new_group([0, stages - 1])

    def step(self, tokens, labels):
        received = tokens
        if not self.stage.first:
            received = torch.empty(self.shape, device=self.device)
            exchange([dist.P2POp(dist.irecv, received, self.rank - 1)])
            received.requires_grad_()
        output = self.stage(received)
        if self.stage.last:
            nn.functional.cross_entropy(output.flatten(0, 1), labels.flatten()).backward()
        else:
            gradient = torch.empty_like(output)
            exchange([dist.P2POp(dist.isend, output.detach(), self.rank + 1)])
            exchange([dist.P2POp(dist.irecv, gradient, self.rank + 1)])
            output.backward(gradient)
        if not self.stage.first:
            exchange([dist.P2POp(dist.isend, received.grad, self.rank - 1)])
        if self.stage.first or self.stage.last:
            dist.all_reduce(self.stage.tied.grad, group=self.tied_group)
