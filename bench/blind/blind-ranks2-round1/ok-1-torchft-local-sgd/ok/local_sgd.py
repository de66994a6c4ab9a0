import os
from contextlib import contextmanager
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo
from torchft.local_sgd import LocalSGD


@contextmanager
def managed(model, optimizer, replica):
    def load(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])

    def save():
        return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=load,
        state_dict=save,
        min_replica_size=1,
        use_async_quorum=False,
        replica_id=f"local_sgd_{replica}",
        timeout=timedelta(seconds=20),
    )
    try:
        yield manager
    finally:
        manager.shutdown(wait=False)


def train(manager, model, optimizer, loader, sampler, rounds):
    with LocalSGD(manager, model, optimizer, sync_every=4):
        for epoch in range(rounds):
            sampler.set_epoch(epoch)
            for inputs, targets in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(inputs), targets).backward()
                optimizer.step()


def main():
    replica = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    replicas = int(os.environ.get("NUM_REPLICA_GROUPS", "2"))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    inputs = torch.randn(256, 5, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(inputs, inputs[:, :2].prod(dim=1, keepdim=True))
    sampler = DistributedSampler(
        data, replica_rank=replica, num_replica_groups=replicas, group_rank=0, num_replicas=1, drop_last=True
    )
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    with managed(model, optimizer, replica) as manager:
        train(manager, model, optimizer, loader, sampler, rounds=3)
        if manager.participating_rank() == 0:
            torch.save({"model": model.state_dict(), "manager": manager.state_dict()}, f"local_sgd_{replica}.pt")


if __name__ == "__main__":
    main()
