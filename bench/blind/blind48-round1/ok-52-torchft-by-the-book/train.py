import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset
from torchdata.stateful_dataloader import StatefulDataLoader
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo
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


def main(steps=200):
    torch.manual_seed(0)

    def load(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    def save():
        return {"model": model.state_dict(), "optim": optimizer.state_dict()}

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=load,
        state_dict=save,
        replica_id=f"book_{REPLICA}",
    )
    model = DistributedDataParallel(manager, build_model())
    optimizer = Optimizer(manager, torch.optim.AdamW(model.parameters(), lr=1e-3))
    ds = WindowDataset(n=4096)
    sampler = DistributedSampler(
        ds, replica_rank=REPLICA, num_replica_groups=REPLICAS, group_rank=0, num_replicas=1, shuffle=True
    )
    loader = StatefulDataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)
    try:
        epoch = 0
        while manager.current_step() < steps:
            sampler.set_epoch(epoch)
            epoch += 1
            for x, y in loader:
                optimizer.zero_grad()
                F.mse_loss(model(x), y).backward()
                optimizer.step()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
