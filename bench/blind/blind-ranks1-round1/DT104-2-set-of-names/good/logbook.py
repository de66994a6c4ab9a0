import torch
import torch.distributed as dist


class Logbook:
    """Collects sums; close() gives the means over all ranks."""

    EXTRA = {"tokens_per_second", "memory"}

    def __init__(self, device):
        self.device = device
        self.sums, self.counts = {}, {}

    def add(self, **values):
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0.0) + float(value)
            self.counts[name] = self.counts.get(name, 0) + 1

    def close(self):
        reported = sorted(set(self.sums) - self.EXTRA)
        means = {}
        for name in reported:
            packed = torch.tensor([self.sums[name], float(self.counts[name])], device=self.device)
            dist.all_reduce(packed)
            means[name] = (packed[0] / packed[1]).item()
        self.sums.clear()
        self.counts.clear()
        return means
