import torch
import torch.distributed as dist


class Meter:
    def __init__(self, device):
        self.device = device
        self.reset()

    def reset(self):
        self.total = torch.zeros(2, device=self.device)

    def add(self, value, n):
        self.total[0] += value.detach() * n
        self.total[1] += n

    @property
    def avg(self):
        total = self.total.clone()
        dist.all_reduce(total)
        return (total[0] / total[1].clamp(min=1)).item()
