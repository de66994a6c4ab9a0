import signal
import sys

import torch
import torch.distributed as dist


class Preemption:
    def __init__(self, save):
        self.save = save
        self.requested = False
        signal.signal(signal.SIGTERM, self._handle)

    def _handle(self, signum, frame):
        self.requested = True

    def agreed(self, device):
        flag = torch.tensor(int(self.requested), device=device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())
