import logging

import torch
from torch import optim

log = logging.getLogger(__name__)


class OuterLoop:
    """Keeps a copy of the weights of the last agreement and moves it by the averaged difference."""

    def __init__(self, manager, model, lr=0.7, momentum=0.9):
        self.manager, self.model = manager, model
        self.anchor = [p.detach().clone() for p in model.parameters()]
        self.optimizer = optim.SGD([torch.nn.Parameter(a) for a in self.anchor], lr=lr, momentum=momentum, nesterov=True)

    def masters(self):
        return self.optimizer.param_groups[0]["params"]

    @torch.no_grad()
    def sync(self):
        self.manager.start_quorum()
        pending = []
        for master, p in zip(self.masters(), self.model.parameters()):
            master.grad = master.detach() - p.detach()
            pending.append(self.manager.allreduce(master.grad))
        for work in pending:
            work.wait()
        committed = self.manager.should_commit()
        log.info("outer step committed: %s", committed)
        if committed:
            self.optimizer.step()
        for master, p in zip(self.masters(), self.model.parameters()):
            p.copy_(master)
