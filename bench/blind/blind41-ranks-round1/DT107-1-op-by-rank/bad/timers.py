import time
from contextlib import contextmanager

import torch
import torch.distributed as dist


class StepTimer:
    def __init__(self, device):
        self.device = device
        self.spans = {"data": 0.0, "forward": 0.0, "backward": 0.0}

    @contextmanager
    def span(self, name):
        start = time.perf_counter()
        yield
        self.spans[name] += time.perf_counter() - start

    def summary(self):
        values = torch.tensor(list(self.spans.values()), device=self.device)
        reduce_op = dist.ReduceOp.MAX if dist.get_rank() == 0 else dist.ReduceOp.SUM
        dist.all_reduce(values, op=reduce_op)
        return dict(zip(self.spans, values.tolist()))
