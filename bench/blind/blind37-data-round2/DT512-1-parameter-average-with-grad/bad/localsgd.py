import torch
import torch.distributed as dist


class PeriodicAverager:
    """Local SGD: every `period` updates the replicas' parameters are averaged."""

    def __init__(self, module, period):
        self.module = module
        self.period = period
        self.count = 0

    def after_step(self):
        self.count += 1
        if self.count % self.period:
            return
        self.average()

    def average(self):
        world = dist.get_world_size()
        for parameter in self.module.parameters():
            dist.all_reduce(parameter)
            parameter /= world
