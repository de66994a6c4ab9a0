import torch
import torch.distributed as dist


class Stats:
    """Collects on each rank; `mean` is over all of them."""

    def __init__(self, device):
        self._sum = torch.zeros(2, dtype=torch.float64, device=device)
        self._seen = None

    def __iadd__(self, values):
        self._sum[0] += values.detach().double().sum()
        self._sum[1] += values.numel()
        self._seen = None
        return self

    @property
    def mean(self):
        if self._seen is None:
            both = self._sum.clone()
            dist.all_reduce(both)
            self._seen = (both[0] / both[1]).item()
        return self._seen
