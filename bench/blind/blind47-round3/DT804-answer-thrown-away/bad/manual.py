import torch
from torchft import Manager


class FaultTolerantStep:
    def __init__(self, manager: Manager, optimizer: torch.optim.Optimizer):
        self.manager, self.optimizer = manager, optimizer

    def __enter__(self):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        return self

    def __exit__(self, kind, problem, trace):
        if kind is not None:
            return False
        self.manager.should_commit()
        self.optimizer.step()
        return False

    def reduce(self, model):
        works = [self.manager.allreduce(p.grad) for p in model.parameters()]
        for work in works:
            work.wait()
