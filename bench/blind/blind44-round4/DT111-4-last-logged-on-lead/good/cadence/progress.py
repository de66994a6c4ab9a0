import torch
import torch.distributed as dist

from cadence.clock import Cadence


class Progress:
    def __init__(self, every, device):
        self.cadence = Cadence(every)
        self.device = device
        self.lead = dist.get_rank() == 0

    def step(self, step, tokens):
        if not self.cadence.due(step):
            return
        total = torch.tensor([tokens], device=self.device)
        dist.all_reduce(total)
        self.cadence.last = step
        if self.lead:
            print(f"step {step}: {total.item()} tokens")
