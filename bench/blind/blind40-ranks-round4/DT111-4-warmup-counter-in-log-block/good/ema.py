import torch
import torch.distributed as dist


class SlowMomentum:
    """Local steps, and after the warm-up an average of the weights over all ranks every `period` steps."""

    def __init__(self, net, period, warmup):
        self.net, self.period, self.warmup = net, period, warmup
        self.seen = 0

    @property
    def active(self):
        return self.seen >= self.warmup

    @torch.no_grad()
    def average(self, step):
        if not self.active or step % self.period:
            return
        for p in self.net.parameters():
            dist.all_reduce(p.data)
            p.data /= dist.get_world_size()
