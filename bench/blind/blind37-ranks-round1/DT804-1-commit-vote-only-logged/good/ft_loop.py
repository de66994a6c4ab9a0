import os
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler


class FaultTolerantLoop:
    def __init__(self, group, groups):
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 1))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        self.manager = Manager(
            pg=ProcessGroupGloo(),
            min_replica_size=2,
            load_state_dict=self.load,
            state_dict=self.dump,
            replica_id=f"loop_{group}",
        )
        x = torch.randn(512, 12, generator=torch.Generator().manual_seed(3))
        data = TensorDataset(x, x.mean(1, keepdim=True))
        self.sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, shuffle=True)
        self.loader = DataLoader(data, batch_size=16, sampler=self.sampler, drop_last=True)
        self.skipped = 0

    def dump(self):
        return {"net": self.net.state_dict(), "opt": self.opt.state_dict()}

    def load(self, saved):
        self.net.load_state_dict(saved["net"])
        self.opt.load_state_dict(saved["opt"])

    def average_gradients(self):
        works = [self.manager.allreduce(p.grad) for p in self.net.parameters()]
        for work in works:
            work.wait()

    def step(self, x, y):
        self.manager.start_quorum()
        self.opt.zero_grad()
        F.mse_loss(self.net(x), y).backward()
        self.average_gradients()
        committed = self.manager.should_commit()
        if committed:
            self.opt.step()
        return committed

    def run(self, steps):
        epoch = 0
        while self.manager.current_step() < steps:
            self.sampler.set_epoch(epoch)
            epoch += 1
            for x, y in self.loader:
                begin = time.perf_counter()
                done = self.step(x, y)
                self.skipped += not done
                if self.manager.current_step() % 25 == 0:
                    print(f"step {self.manager.current_step()} committed={done} {time.perf_counter() - begin:.3f}s")


def main():
    loop = FaultTolerantLoop(int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"]))
    try:
        loop.run(200)
    finally:
        loop.manager.shutdown()


if __name__ == "__main__":
    main()
