from contextlib import contextmanager

import torch
import torch.distributed as dist


class Tokens:
    def __init__(self, device):
        self.device = device
        self.local = 0
        self.total = 0

    @contextmanager
    def counting(self):
        """Everything counted inside is added up over the ranks at the end."""
        self.local = 0
        try:
            yield self
        finally:
            packed = torch.tensor(self.local, device=self.device)
            dist.all_reduce(packed)
            self.total += packed.item()

    def saw(self, n):
        self.local += n
