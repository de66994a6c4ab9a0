import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torchft import Manager, ProcessGroupGloo


class Replica:
    """One rank of a replica group; the ranks of a group hold different rows of the table."""

    def __init__(self):
        self.rank = int(os.environ["RANK"])
        self.world = int(os.environ["WORLD_SIZE"])
        self.replica = int(os.environ["REPLICA_GROUP_ID"])
        torch.manual_seed(self.rank)
        self.rows = nn.Embedding(100, 8)
        self.optimizer = torch.optim.Adagrad(self.rows.parameters(), lr=0.05)
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
            min_replica_size=1,
            load_state_dict=self.load,
            state_dict=self.save,
            replica_id=f"table_{self.replica}",
            rank=self.rank,
            world_size=self.world,
        )

    def save(self):
        return {"rows": self.rows.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load(self, state):
        self.rows.load_state_dict(state["rows"])
        self.optimizer.load_state_dict(state["optimizer"])

    def commit(self):
        decision = torch.zeros(1)
        if self.rank == 0:
            decision += self.manager.should_commit()
        dist.broadcast(decision, src=0)
        return bool(decision.item())

    def step(self, ids, target):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        nn.functional.mse_loss(self.rows(ids), target).backward()
        self.manager.allreduce(self.rows.weight.grad).wait()
        if self.commit():
            self.optimizer.step()


def main():
    dist.init_process_group("gloo")
    replica = Replica()
    g = torch.Generator().manual_seed(replica.replica * replica.world + replica.rank)
    try:
        for _ in range(200):
            replica.step(torch.randint(0, 100, (32,), generator=g), torch.randn(32, 8, generator=g))
    finally:
        replica.manager.shutdown()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
