import torch
import torch.distributed as dist


class RunningMean:
    """Mean of a per-sample quantity over everything seen on all ranks."""

    def __init__(self, device):
        self.sums = torch.zeros(2, dtype=torch.float64, device=device)

    def reset(self):
        self.sums.zero_()

    def update(self, value, count):
        self.sums[0] += value.detach().double() * count
        self.sums[1] += count
        dist.all_reduce(self.sums)

    def value(self):
        return (self.sums[0] / self.sums[1].clamp(min=1)).item()
