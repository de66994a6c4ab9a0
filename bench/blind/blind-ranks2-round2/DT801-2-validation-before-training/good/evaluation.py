import torch


class Validation:
    """Averages a validation loss over the replicas that take part."""

    def __init__(self, manager, rows):
        self.manager, self.rows = manager, rows

    @torch.no_grad()
    def __call__(self, model):
        value = (model(self.rows) - self.rows).pow(2).mean().reshape(1)
        self.manager.start_quorum()
        self.manager.allreduce(value).wait()
        return value.item() if self.manager.should_commit() else float("nan")
