import time

import torch
from torch import nn


class TimeLimited:
    def __init__(self, manager, net, opt, seconds):
        self.manager, self.net, self.opt = manager, net, opt
        self.deadline = time.monotonic() + seconds

    def step(self, batch):
        x, y = batch
        self.manager.start_quorum()
        self.opt.zero_grad()
        nn.functional.l1_loss(self.net(x), y).backward()
        for work in [self.manager.allreduce(p.grad) for p in self.net.parameters()]:
            work.wait()
        if self.manager.should_commit():
            self.opt.step()

    def run(self, batches):
        try:
            for batch in batches:
                if time.monotonic() > self.deadline:
                    break
                self.step(batch)
            return self.manager.current_step()
        finally:
            self.manager.shutdown()
