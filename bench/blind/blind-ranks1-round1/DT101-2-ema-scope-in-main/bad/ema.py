from contextlib import contextmanager

import torch


class ShadowWeights:
    """Exponential moving average kept on every process, lazily made equal before use."""

    def __init__(self, accelerator, model, decay=0.99):
        self.accelerator = accelerator
        self.decay = decay
        self.shadow = [p.detach().clone() for p in model.parameters()]

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow, model.parameters()):
            s.lerp_(p.detach(), 1 - self.decay)

    def _settle(self):
        self.shadow = [self.accelerator.reduce(s, reduction="mean") for s in self.shadow]

    @contextmanager
    def applied_to(self, model):
        self._settle()
        backup = [p.detach().clone() for p in model.parameters()]
        try:
            for p, s in zip(model.parameters(), self.shadow):
                p.data.copy_(s)
            yield model
        finally:
            for p, b in zip(model.parameters(), backup):
                p.data.copy_(b)
