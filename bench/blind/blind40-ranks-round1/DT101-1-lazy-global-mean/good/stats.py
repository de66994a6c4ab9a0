import torch
import torch.distributed as dist


class RunningReward:
    """Mean reward of the whole job since the last reset, computed when somebody asks."""

    def __init__(self, device):
        self._acc = torch.zeros(2, dtype=torch.float64, device=device)
        self._cached = None

    def push(self, rewards):
        self._acc[0] += rewards.sum()
        self._acc[1] += rewards.numel()
        self._cached = None

    def reset(self):
        self._acc.zero_()
        self._cached = None

    @property
    def mean(self):
        if self._cached is None:
            total = self._acc.clone()
            dist.all_reduce(total)
            self._cached = (total[0] / total[1].clamp(min=1)).item()
        return self._cached
