import collections

import torch
import torch.distributed as dist


class Bus:
    def __init__(self):
        self.handlers = collections.defaultdict(list)

    def on(self, event):
        def register(handler):
            self.handlers[event].append(handler)
            return handler

        return register

    def fire(self, event, **info):
        for handler in self.handlers[event]:
            handler(**info)


def global_mean(value, device):
    pair = torch.tensor([float(value), 1.0], device=device)
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item()
