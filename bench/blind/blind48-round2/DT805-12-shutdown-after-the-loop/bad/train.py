import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo

REPLICA = int(os.environ.get("REPLICA_GROUP_ID", 0))


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


def stream(batch=16, dim=16):
    gen = torch.Generator().manual_seed(300 + REPLICA)
    while True:
        x = torch.randn(batch, dim, generator=gen)
        yield x, x[:, :4].sum(dim=1, keepdim=True)


class Job:
    def __init__(self):
        self.raw = build_model()
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
            min_replica_size=1,
            load_state_dict=self.load,
            state_dict=self.save,
            replica_id=f"job_{REPLICA}",
        )
        self.model = DistributedDataParallel(self.manager, self.raw)
        self.optimizer = Optimizer(self.manager, torch.optim.AdamW(self.model.parameters(), lr=1e-3))

    def load(self, state):
        self.raw.load_state_dict(state)

    def save(self):
        return self.raw.state_dict()

    def run(self, steps):
        for x, y in stream():
            self.optimizer.zero_grad()
            loss = F.mse_loss(self.model(x), y)
            if not torch.isfinite(loss):
                raise FloatingPointError("loss is not finite")
            loss.backward()
            self.optimizer.step()
            if self.manager.current_step() >= steps:
                break


def main():
    torch.manual_seed(0)
    job = Job()
    job.run(200)
    job.manager.shutdown()


if __name__ == "__main__":
    main()
