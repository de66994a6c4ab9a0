import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from machine import Signal, State, run


class Job:
    def __init__(self):
        torch.manual_seed(0)
        self.model = DistributedDataParallel(nn.Linear(4, 4))
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1)
        self.noise = torch.Generator().manual_seed(dist.get_rank())
        self.step, self.best = 0, float("inf")

    def train(self):
        if self.step == 400:
            return Signal.END
        self.optimizer.zero_grad()
        self.model(torch.randn(8, 4, generator=self.noise)).square().mean().backward()
        self.optimizer.step()
        self.step += 1
        return Signal.DUE if self.step % 50 == 0 else Signal.TICK

    def check(self):
        with torch.no_grad():
            value = self.model.module(torch.randn(32, 4, generator=self.noise)).square().mean()
        dist.all_reduce(value)
        worse = value.item() > self.best
        self.best = min(self.best, value.item())
        if dist.get_rank() == 0:
            print(self.step, self.best)
        return Signal.WORSE if worse else Signal.TICK


if __name__ == "__main__":
    dist.init_process_group("gloo")
    job = Job()
    run({State.RUN: job.train, State.CHECK: job.check})
    dist.destroy_process_group()
