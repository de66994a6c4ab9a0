import torch
from torchft import Manager


class OuterStep:
    def __init__(self, manager: Manager, model, every):
        self.manager, self.model, self.every = manager, model, every
        self.count = 0

    def tick(self):
        self.count += 1
        if self.count % self.every == 0:
            self.manager.start_quorum()
            return self._average()
        return False

    def flush(self):
        self.manager.start_quorum()
        return self._average()

    @torch.no_grad()
    def _average(self):
        copies = [p.data.clone() for p in self.model.parameters()]
        for work in [self.manager.allreduce(c) for c in copies]:
            work.wait()
        if not self.manager.should_commit():
            return False
        for p, c in zip(self.model.parameters(), copies):
            p.data.copy_(c)
        return True
