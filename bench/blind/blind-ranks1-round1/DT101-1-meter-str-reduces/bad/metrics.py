from collections import defaultdict

import torch
import torch.distributed as dist


class SmoothedValue:
    """The average of a value over all steps and processes."""

    def __init__(self, fmt="{global_avg:.4f}"):
        self.total = 0.0
        self.count = 0
        self.fmt = fmt

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def global_avg(self):
        packed = torch.tensor([self.total, float(self.count)], dtype=torch.float64)
        if dist.is_available() and dist.is_initialized():
            dist.all_reduce(packed)
        return (packed[0] / packed[1].clamp(min=1)).item()

    def __str__(self):
        return self.fmt.format(global_avg=self.global_avg)


class Meters:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **kwargs):
        for name, value in kwargs.items():
            if isinstance(value, torch.Tensor):
                value = value.item()
            self.meters[name].update(value)

    def __str__(self):
        return self.delimiter.join(f"{name}: {meter}" for name, meter in self.meters.items())
