import os
import signal
from datetime import timedelta

import torch
from torch import nn
from torchft import DistributedDataParallel, Manager, ProcessGroupGloo


class Managed:
    def __init__(self, model, optimizer, name):
        self.model, self.optimizer = model, optimizer
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
            load_state_dict=self.load_state_dict,
            state_dict=self.state_dict,
            min_replica_size=1,
            replica_id=name,
            timeout=timedelta(seconds=20),
        )
        self.wrapped = DistributedDataParallel(self.manager, model)
        self.skipped = 0

    def state_dict(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])

    def _skip(self):
        self.skipped += 1

    def train(self, x, y):
        self.manager.start_quorum()
        self.optimizer.zero_grad(set_to_none=True)
        nn.functional.mse_loss(self.wrapped(x), y).backward()
        finish = self.optimizer.step if self.manager.should_commit() else self._skip
        finish()

    @torch.no_grad()
    def evaluate(self, x, y):
        self.manager.start_quorum(allow_heal=False)
        error = nn.functional.l1_loss(self.model(x), y).reshape(1)
        self.manager.allreduce(error).wait()
        return error.item() if self.manager.should_commit() else None


def main():
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 1))
    managed = Managed(model, torch.optim.Adam(model.parameters(), lr=1e-2), f"managed_{replica}")
    data = torch.Generator().manual_seed(200 + replica)
    try:
        for step in range(20):
            x = torch.rand(16, 3, generator=data)
            managed.train(x, x.amax(dim=1, keepdim=True))
        x = torch.rand(64, 3, generator=data)
        error = managed.evaluate(x, x.amax(dim=1, keepdim=True))
        print("evaluation discarded" if error is None else f"error {error:.4f}", f"skipped {managed.skipped}")
    finally:
        managed.manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
