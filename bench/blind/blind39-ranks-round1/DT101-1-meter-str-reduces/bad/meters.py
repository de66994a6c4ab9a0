import torch
import torch.distributed as dist


class RunningMean:
    """A mean over all ranks, brought together when it is read."""

    def __init__(self, name, device):
        self.name = name
        self.device = device
        self.reset()

    def reset(self):
        self.total = 0.0
        self.count = 0

    def add(self, value, n=1):
        self.total += float(value) * n
        self.count += n

    @property
    def value(self):
        pair = torch.tensor([self.total, self.count], dtype=torch.float64, device=self.device)
        dist.all_reduce(pair)
        return (pair[0] / pair[1].clamp(min=1)).item()

    def __str__(self):
        return f"{self.name}={self.value:.4f}"
