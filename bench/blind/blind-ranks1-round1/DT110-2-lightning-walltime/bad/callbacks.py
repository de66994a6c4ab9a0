import time

import lightning as L
import torch


class TimedCheckpoint(L.Callback):
    """A checkpoint every few minutes, whatever the step."""

    def __init__(self, path, every_seconds=600.0):
        self.path = path
        self.every_seconds = every_seconds
        self.last = time.monotonic()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        due = time.monotonic() - self.last >= self.every_seconds
        if due:
            trainer.save_checkpoint(f"{self.path}/step{trainer.global_step}.ckpt")
            self.last = time.monotonic()


class ParameterNorm(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        norm = torch.stack([p.detach().norm() for p in pl_module.parameters()]).norm()
        pl_module.log("parameter_norm", norm, sync_dist=True)
