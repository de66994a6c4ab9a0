"""torchft training with ManagedProcessGroup-free manual averaging."""
import os
from datetime import timedelta

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo


class Worker:
    def __init__(self):
        self.group = int(os.environ["REPLICA_GROUP_ID"])
        self.groups = int(os.environ.get("NUM_REPLICA_GROUPS", "2"))
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 4))
        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.02)
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
            min_replica_size=1,
            state_dict=self.state,
            load_state_dict=self.restore,
            replica_id=f"worker_{self.group}",
        )

    def state(self):
        return {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state):
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])

    def step(self, x, y):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.net(x), y)
        loss.backward()
        works = [self.manager.allreduce(p.grad) for p in self.net.parameters()]
        for work in works:
            work.wait()
        if self.manager.should_commit():
            self.optimizer.step()

    def run(self, epochs):
        data = TensorDataset(*torch.load("rows.pt", map_location="cpu"))
        sampler = DistributedSampler(data, replica_rank=self.group, num_replica_groups=self.groups, group_rank=0, num_replicas=1)
        loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
        try:
            for epoch in range(epochs):
                sampler.set_epoch(epoch)
                for x, y in loader:
                    self.step(x, y)
            if self.group == 0:
                torch.save(self.net.state_dict(), "net.pt")
        finally:
            self.manager.shutdown(wait=False)


if __name__ == "__main__":
    Worker().run(10)
