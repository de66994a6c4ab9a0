from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class EarlyStop:
    patience: int = 2
    best: float = float("inf")
    bad_epochs: int = 0

    def observe(self, value):
        if dist.get_rank() == 0:
            if value < self.best:
                self.best, self.bad_epochs = value, 0
            else:
                self.bad_epochs += 1
        return self

    @property
    def stop(self):
        return self.bad_epochs > self.patience
