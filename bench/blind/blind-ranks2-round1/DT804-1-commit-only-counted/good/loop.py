import os
from collections import Counter
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, ProcessGroupGloo


class FaultTolerantLoop:
    def __init__(self, model, optimizer, replica, replicas):
        self.optimizer = optimizer
        self.outcomes = Counter()
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
            load_state_dict=self.load,
            state_dict=self.save,
            min_replica_size=1,
            replica_id=f"loop_{replica}",
            timeout=timedelta(seconds=20),
        )
        self.model = DistributedDataParallel(self.manager, model)

    def save(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])

    def step(self, inputs, labels):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(inputs), labels)
        loss.backward()
        committed = self.manager.should_commit()
        self.outcomes["committed" if committed else "discarded"] += 1
        if committed:
            self.optimizer.step()
        return committed

    def close(self):
        self.manager.shutdown(wait=False)


def main():
    replica = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    replicas = int(os.environ.get("NUM_REPLICA_GROUPS", "2"))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 4))
    loop = FaultTolerantLoop(model, torch.optim.SGD(model.parameters(), lr=0.1), replica, replicas)
    generator = torch.Generator().manual_seed(5)
    data = TensorDataset(torch.randn(320, 10, generator=generator), torch.randint(0, 4, (320,), generator=generator))
    sampler = DistributedSampler(
        data, replica_rank=replica, num_replica_groups=replicas, group_rank=0, num_replicas=1, drop_last=True
    )
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    try:
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for inputs, labels in loader:
                loop.step(inputs, labels)
        print(f"replica {replica}: {dict(loop.outcomes)}")
    finally:
        loop.close()


if __name__ == "__main__":
    main()
