import signal

import torch
import torch.distributed as dist


class Preemption:
    def __init__(self, device):
        self.device, self.seen = device, False
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self.note)

    def note(self, number, frame):
        self.seen = True

    def anywhere(self):
        flag = torch.tensor(int(self.seen), device=self.device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag)
