import torch
from torchft import Optimizer


class Stepper:
    """Clips, steps and lets the schedule follow."""

    def __init__(self, manager, inner, schedule, limit):
        self.inner, self.schedule, self.limit = inner, schedule, limit
        self.managed = Optimizer(manager, inner)

    def begin(self):
        self.managed.zero_grad()

    def finish(self, parameters):
        norm = torch.nn.utils.clip_grad_norm_(parameters, self.limit)
        self.inner.step()
        self.schedule.step()
        return norm.item()
