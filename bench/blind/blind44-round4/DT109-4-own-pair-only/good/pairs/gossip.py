import torch
import torch.distributed as dist

from pairs.group import pair_group


class Gossip:
    def __init__(self):
        self.group = pair_group()

    @torch.no_grad()
    def mix(self, params):
        for p in params:
            dist.all_reduce(p, group=self.group)
            p /= 2
