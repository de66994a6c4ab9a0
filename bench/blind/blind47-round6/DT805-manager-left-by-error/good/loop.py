from dataclasses import dataclass

import torch
from torch import nn
from torchft import Manager, Optimizer, ProcessGroupGloo


@dataclass
class Replica:
    width: int = 8
    steps: int = 1000

    def build(self):
        torch.manual_seed(0)
        self.model = nn.Linear(self.width, self.width)
        self.manager = Manager(
            pg=ProcessGroupGloo(),
            min_replica_size=2,
            load_state_dict=self.model.load_state_dict,
            state_dict=self.model.state_dict,
        )
        self.optimizer = Optimizer(self.manager, torch.optim.SGD(self.model.parameters(), 0.1))
        return self

    def step(self, x):
        self.optimizer.zero_grad()
        self.model(x).square().mean().backward()
        for p in self.model.parameters():
            self.manager.allreduce(p.grad).wait()
        self.optimizer.step()

    def run(self, source):
        try:
            while self.manager.current_step() < self.steps:
                self.step(next(source))
        finally:
            self.manager.shutdown()
