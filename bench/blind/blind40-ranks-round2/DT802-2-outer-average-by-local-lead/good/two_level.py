import torch
from torch import nn


class TwoLevel:
    """Gradients are averaged in the replica group each step, weights over the groups every `period` steps."""

    def __init__(self, inner, outer, model: nn.Module, local_rank, period):
        self.inner, self.outer = inner, outer
        self.model, self.local_rank, self.period = model, local_rank, period
        self.count = 0

    def reduce_gradients(self):
        self.inner.start_quorum()
        for work in [self.inner.allreduce(p.grad) for p in self.model.parameters()]:
            work.wait()
        return self.inner.should_commit()

    def after_step(self):
        self.count += 1
        if self.count % self.period:
            return
        self._average_weights()

    @torch.no_grad()
    def _mean(self, manager):
        params = list(self.model.parameters())
        backup = [p.detach().clone() for p in params]
        for work in [manager.allreduce(p.data) for p in params]:
            work.wait()
        if not manager.should_commit():
            for p, old in zip(params, backup):
                p.copy_(old)

    def _average_weights(self):
        self.outer.start_quorum()
        self._mean(self.outer)
