import time

import torch
import torch.distributed as dist


class Stopwatch:
    """Times a phase; the slowest rank's time is kept."""

    def __init__(self, name, device):
        self.name, self.device = name, device
        self.history = []

    def __enter__(self):
        self.started = time.perf_counter()
        return self

    def __exit__(self, exc_type, exc, tb):
        spent = torch.tensor(time.perf_counter() - self.started, device=self.device)
        dist.all_reduce(spent, op=dist.ReduceOp.MAX)
        self.history.append(spent.item())
        return False

    def summary(self):
        mean = sum(self.history) / max(len(self.history), 1)
        return f"{self.name}: {1000 * mean:.1f} ms"
