from typing import Protocol

import torch
from torchft import Manager
from torchft.optim import OptimizerWrapper


class Strategy(Protocol):
    def begin(self) -> None: ...

    def finish(self, model) -> None: ...


class Wrapped:
    def __init__(self, manager, optimizer):
        self.optimizer = OptimizerWrapper(manager, optimizer)

    def begin(self):
        self.optimizer.zero_grad()

    def finish(self, model):
        self.optimizer.step()


class Manual:
    def __init__(self, manager, optimizer):
        self.manager, self.optimizer = manager, optimizer

    def begin(self):
        self.optimizer.zero_grad()

    def finish(self, model):
        for p in model.parameters():
            self.manager.allreduce(p.grad).wait()
        if self.manager.should_commit():
            self.optimizer.step()
