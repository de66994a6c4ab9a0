import contextlib
import time

import torch
import torch.distributed as dist

from plug.base import Plugin


class Timer(Plugin, name="timer"):
    @contextlib.contextmanager
    def around(self, epoch):
        begin = time.perf_counter()
        yield
        self.report(epoch, time.perf_counter() - begin)

    def report(self, epoch, seconds):
        worst = torch.tensor([seconds], device=self.env.device)
        dist.all_reduce(worst, op=dist.ReduceOp.MAX)
        if self.env.lead:
            print(f"epoch {epoch}: slowest rank {worst.item():.2f} s")


class Banner(Plugin, name="banner"):
    @contextlib.contextmanager
    def around(self, epoch):
        print(f"--- {epoch}")
        yield
