import os
from datetime import timedelta

import torch
from torch import nn
from torchft import LocalSGD, Manager, ProcessGroupGloo

SYNC_EVERY = 10


def batches(replica, steps, batch=48):
    g = torch.Generator().manual_seed(900 + replica)
    for _ in range(steps):
        x = torch.rand(batch, 3, generator=g)
        yield x, (x * torch.tensor([1.0, -2.0, 0.5])).sum(1, keepdim=True)


class Progress:
    def __init__(self, manager):
        self.manager = manager
        self.values = []

    def add(self, loss):
        value = loss.detach().clone()
        self.manager.allreduce(value).wait()
        self.values.append(value.item())

    def show(self):
        recent = self.values[-SYNC_EVERY:]
        print(f"{len(self.values)} steps, recent loss of this replica {sum(recent) / len(recent):.4f}")


def main():
    replica = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def load_state(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        load_state_dict=load_state,
        state_dict=lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
        min_replica_size=1,
        use_async_quorum=False,
        replica_id=f"local_sgd_{replica}",
    )
    progress = Progress(manager)
    try:
        with LocalSGD(manager, model, optimizer, sync_every=SYNC_EVERY):
            for x, y in batches(replica, steps=400):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                progress.add(loss)
        progress.show()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
