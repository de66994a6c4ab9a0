import csv
from abc import ABC

import torch
import torch.distributed as dist


class Callback(ABC):
    def on_epoch_end(self, trainer, epoch):
        """Called by every rank that has the callback."""


class Reshuffle(Callback):
    def on_epoch_end(self, trainer, epoch):
        trainer.sampler.set_epoch(epoch + 1)


class LossSpread(Callback):
    """One row per epoch: smallest, median and largest mean loss over the ranks."""

    def __init__(self, path):
        self.path = path

    def on_epoch_end(self, trainer, epoch):
        means = [torch.zeros_like(trainer.epoch_loss) for _ in range(dist.get_world_size())]
        dist.all_gather(means, trainer.epoch_loss)
        low, mid, high = (f(torch.stack(means)).item() for f in (torch.min, torch.median, torch.max))
        if trainer.rank == 0:
            with open(self.path, "a", newline="") as f:
                csv.writer(f).writerow([epoch, low, mid, high])
