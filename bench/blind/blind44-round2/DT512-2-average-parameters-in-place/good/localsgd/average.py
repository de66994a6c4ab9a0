import torch
import torch.distributed as dist


class PeriodicAverager:
    """Averages the weights every `period` steps."""

    def __init__(self, model, period):
        self.model, self.period, self.step = model, period, 0
        self.world = dist.get_world_size()

    @torch.no_grad()
    def average(self):
        for p in self.model.parameters():
            dist.all_reduce(p)
            p.div_(self.world)

    def tick(self):
        self.step += 1
        if self.step % self.period == 0:
            self.average()
