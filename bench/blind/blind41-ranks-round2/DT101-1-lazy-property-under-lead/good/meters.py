import torch
import torch.distributed as dist


class Meter:
    def __init__(self, device):
        self.sums = torch.zeros(2, device=device)
        self._shared = None

    def update(self, value, n=1):
        self.sums += torch.tensor([value * n, n], device=self.sums.device)
        self._shared = None

    @property
    def mean(self):
        if self._shared is None:
            self._shared = self.sums.clone()
            dist.all_reduce(self._shared)
        return (self._shared[0] / self._shared[1]).item()
