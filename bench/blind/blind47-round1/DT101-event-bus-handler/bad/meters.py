import torch
import torch.distributed as dist


class RunningMean:
    def __init__(self, device):
        self.pair = torch.zeros(2, device=device)

    def add(self, value, count):
        self.pair += torch.tensor([float(value) * count, float(count)], device=self.pair.device)

    def over_ranks(self):
        pair = self.pair.clone()
        dist.all_reduce(pair)
        return (pair[0] / pair[1].clamp(min=1)).item()

    def reset(self):
        self.pair.zero_()
