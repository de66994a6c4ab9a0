import torch
import torch.distributed as dist


class Mean:
    def __init__(self, device):
        self.value = torch.zeros(2, device=device)

    def add(self, total, count):
        self.value += torch.tensor([total, count], device=self.value.device)

    def result(self):
        value = self.value.clone()
        dist.reduce(value, dst=0)
        self.value.zero_()
        return (value[0] / value[1]).item()
