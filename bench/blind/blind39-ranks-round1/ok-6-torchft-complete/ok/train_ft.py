import os
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo


class Replica:
    def __init__(self, index):
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Linear(7, 21), nn.ReLU(), nn.Linear(21, 1))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
            min_replica_size=1,
            load_state_dict=self.restore,
            state_dict=self.snapshot,
            replica_id=f"replica_{index}",
        )

    def snapshot(self):
        return {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state):
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.manager.shutdown(wait=False)

    def step(self, x, y):
        self.optimizer.zero_grad()
        self.manager.start_quorum()
        loss = nn.functional.huber_loss(self.net(x), y)
        loss.backward()
        for work in [self.manager.allreduce(p.grad) for p in self.net.parameters()]:
            work.wait()
        if self.manager.should_commit():
            self.optimizer.step()
        return self.manager.current_step()


def main():
    index, count = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    g = torch.Generator().manual_seed(0)
    x = torch.randn(1200, 7, generator=g)
    data = TensorDataset(x, x.prod(dim=1, keepdim=True))
    sampler = DistributedSampler(data, replica_group=index, num_replica_groups=count, rank=0, num_replicas=1)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    with Replica(index) as replica:
        for epoch in range(4):
            sampler.set_epoch(epoch)
            for x, y in loader:
                done = replica.step(x, y)
            if replica.manager.participating_rank() == 0:
                print(f"epoch {epoch}: {done} steps committed")


if __name__ == "__main__":
    main()
