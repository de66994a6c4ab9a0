import torch
import torch.distributed as dist


class Board:
    def __init__(self, names):
        self.names = set(names)
        self.values = {name: torch.zeros(2) for name in self.names}

    def add(self, name, value, weight=1.0):
        self.values[name] += torch.tensor([value * weight, weight])

    def merged(self):
        out = {}
        for name in self.names:
            total = self.values[name].clone()
            dist.all_reduce(total)
            out[name] = (total[0] / total[1]).item()
        return out
