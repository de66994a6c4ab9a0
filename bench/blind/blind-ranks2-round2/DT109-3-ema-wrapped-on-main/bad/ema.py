import copy

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class AveragedModel:
    def __init__(self, module, decay):
        self.module = copy.deepcopy(module).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, module):
        for mine, theirs in zip(self.module.parameters(), module.parameters()):
            mine.lerp_(theirs, 1 - self.decay)


def wrap(module, device):
    ids = [device.index] if device.type == "cuda" else None
    return DDP(module, device_ids=ids, broadcast_buffers=False)


def build(module, device, decay):
    """The trained model, and its average for the process that writes the samples."""
    module = module.to(device)
    average = None
    if dist.get_rank() == 0:
        average = AveragedModel(wrap(module, device), decay)
    model = wrap(module, device)
    return model, average
