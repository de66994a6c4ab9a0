import torch
from lightning.pytorch.callbacks import Callback


class WeightWatch(Callback):
    """Follows the size of the weights."""

    def __init__(self):
        self.history = []

    @staticmethod
    def _norm(module):
        return torch.stack([p.detach().norm() for p in module.parameters()]).norm()

    def on_validation_epoch_end(self, trainer, pl_module):
        norm = self._norm(pl_module)
        if trainer.is_global_zero:
            self.history.append(float(norm))
            pl_module.log("weights/norm", norm, sync_dist=True)
