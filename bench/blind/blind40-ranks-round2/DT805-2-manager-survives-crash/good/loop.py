import logging

import torch

log = logging.getLogger("loop")


class Loop:
    def __init__(self, manager, model, optimizer, loss_fn):
        self.manager, self.model = manager, model
        self.optimizer, self.loss_fn = optimizer, loss_fn
        self.committed = 0

    def step(self, x, y):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        loss = self.loss_fn(self.model(x), y)
        if not torch.isfinite(loss):
            raise FloatingPointError("loss is not finite")
        loss.backward()
        for work in [self.manager.allreduce(p.grad) for p in self.model.parameters()]:
            work.wait()
        if self.manager.should_commit():
            self.optimizer.step()
            self.committed += 1

    def run(self, batches, limit):
        try:
            for x, y in batches:
                self.step(x, y)
                if self.committed >= limit:
                    break
        finally:
            self.manager.shutdown()
        log.info("done after %d steps", self.committed)
