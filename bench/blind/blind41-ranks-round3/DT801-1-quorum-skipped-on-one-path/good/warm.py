import os

import torch
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo


class Loop:
    def __init__(self, group):
        torch.manual_seed(0)
        self.net = nn.Linear(14, 14)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05)
        self.manager = Manager(
            pg=ProcessGroupGloo(),
            load_state_dict=self.load,
            state_dict=self.state,
            replica_id=f"loop_{group}",
            min_replica_size=1,
        )
        self.gen = torch.Generator().manual_seed(group)

    def state(self):
        return {"net": self.net.state_dict(), "opt": self.opt.state_dict()}

    def load(self, state):
        self.net.load_state_dict(state["net"])
        self.opt.load_state_dict(state["opt"])

    def loss(self):
        x = torch.randn(16, 14, generator=self.gen)
        self.opt.zero_grad()
        loss = (self.net(x) - x).pow(2).mean()
        loss.backward()
        return loss

    def step(self, warm):
        self.manager.start_quorum()
        self.loss()
        for p in self.net.parameters():
            self.manager.allreduce(p.grad).wait()
        if self.manager.should_commit():
            self.opt.step()

    def run(self, warmup=10, steps=200):
        try:
            for index in range(steps):
                self.step(warm=index < warmup)
        finally:
            self.manager.shutdown()


if __name__ == "__main__":
    Loop(int(os.environ["REPLICA_GROUP_ID"])).run()
