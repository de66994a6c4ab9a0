from dataclasses import dataclass

import torch
from torch.nn.utils import clip_grad_norm_


@dataclass
class Step:
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LRScheduler
    max_norm: float = 1.0

    def __call__(self, model, loss):
        loss.backward()
        norm = model.clip_grad_norm_(self.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.schedule.step()
        return norm
