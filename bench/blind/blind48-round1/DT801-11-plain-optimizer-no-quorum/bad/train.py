import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torchdata.stateful_dataloader import StatefulDataLoader
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler

REPLICA = int(os.environ.get("REPLICA_GROUP_ID", 0))
REPLICAS = int(os.environ.get("NUM_REPLICA_GROUPS", 2))


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


def reduce_grads(manager, model):
    works = [manager.allreduce(p.grad) for p in model.parameters()]
    for work in works:
        work.wait()


def main(steps=200):
    torch.manual_seed(0)
    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def load_state(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    def save_state():
        return {"model": model.state_dict(), "optim": optimizer.state_dict()}

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=load_state,
        state_dict=save_state,
        replica_id=f"train_{REPLICA}",
    )
    ds = WindowDataset(n=4096)
    sampler = DistributedSampler(
        ds, replica_rank=REPLICA, num_replica_groups=REPLICAS, group_rank=0, num_replicas=1, shuffle=True
    )
    loader = StatefulDataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)
    try:
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            reduce_grads(manager, model)
            if manager.should_commit():
                optimizer.step()
            if manager.current_step() >= steps:
                break
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
