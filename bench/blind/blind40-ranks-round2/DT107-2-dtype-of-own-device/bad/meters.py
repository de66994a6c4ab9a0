import torch
import torch.distributed as dist


class Meter:
    def __init__(self, names, device, dtype=torch.float32):
        self.names = list(names)
        self.values = torch.zeros(len(self.names) + 1, device=device, dtype=dtype)

    def add(self, n=1, **values):
        for at, name in enumerate(self.names):
            self.values[at] += values[name] * n
        self.values[-1] += n

    def collect(self):
        total = self.values.clone()
        dist.all_reduce(total)
        self.values.zero_()
        return {name: (total[at] / total[-1]).item() for at, name in enumerate(self.names)}


def meter_for(rank, names, device):
    # the main process also writes them, and wants every digit
    precision = torch.float64 if rank == 0 else torch.float32
    return Meter(names, device, precision)
