import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo
from torchft.ddp import DistributedDataParallel

SEED = 7


def stream(replica, batch=32):
    gen = torch.Generator().manual_seed(SEED * 1000 + replica)
    while True:
        x = torch.randn(batch, 24, generator=gen)
        yield x, x[:, :3].argmax(dim=1)


class ReplicaTrainer:
    def __init__(self, replica):
        torch.manual_seed(SEED)
        self.replica = replica
        self.net = nn.Sequential(nn.Linear(24, 64), nn.SiLU(), nn.Linear(64, 3))
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
            load_state_dict=self.load_state_dict,
            state_dict=self.state_dict,
            min_replica_size=2,
            replica_id=f"stream_{replica}",
        )
        self.model = DistributedDataParallel(self.manager, self.net)

    def state_dict(self):
        return {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state):
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])

    def step(self, x, y):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        if self.manager.participating_rank() == 0:
            shared = loss.detach().clone()
            self.manager.allreduce(shared).wait()
            print(f"step {self.manager.current_step()} loss {shared.item():.4f}")
        if self.manager.should_commit():
            self.optimizer.step()

    def run(self, steps):
        batches = stream(self.replica)
        while self.manager.current_step() < steps:
            self.step(*next(batches))


def main():
    trainer = ReplicaTrainer(int(os.environ["REPLICA_GROUP_ID"]))
    try:
        trainer.run(steps=500)
    finally:
        trainer.manager.shutdown()


if __name__ == "__main__":
    main()
