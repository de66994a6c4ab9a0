import torch
import torch.distributed as dist


class Averager:
    def __init__(self, params):
        self.params = list(params)
        self.world = dist.get_world_size()

    def norm(self):
        return torch.stack([p.grad.norm() for p in self.params]).norm()

    def average(self):
        for p in self.params:
            dist.all_reduce(p.grad)
            p.grad /= self.world
