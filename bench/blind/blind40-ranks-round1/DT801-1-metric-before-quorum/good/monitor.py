import torch


class LossMonitor:
    """Mean loss over the replica groups that took part in the step."""

    def __init__(self, manager, every):
        self.manager, self.every = manager, every
        self.history = []

    def observe(self, step, loss):
        if step % self.every:
            return
        value = loss.detach().clone()
        self.manager.allreduce(value).wait()
        self.history.append(value.item())
