import time

import torch
import torch.distributed as dist


class Budget:
    """True as long as there is time for another step."""

    def __init__(self, minutes, margin=20.0):
        self.end = time.monotonic() + 60 * minutes - margin

    def __bool__(self):
        return time.monotonic() < self.end


class SharedBudget(Budget):
    def __init__(self, minutes, device, margin=20.0):
        super().__init__(minutes, margin)
        self.device = device

    def __bool__(self):
        left = torch.tensor([self.end - time.monotonic()], device=self.device)
        dist.broadcast(left, src=0)
        return left.item() > 0
