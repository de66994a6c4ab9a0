import math
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class OneCycle:
    peak: float
    epochs: int

    def over(self, optimizer, steps_per_epoch: int):
        return torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self.peak, epochs=self.epochs, steps_per_epoch=steps_per_epoch
        )
