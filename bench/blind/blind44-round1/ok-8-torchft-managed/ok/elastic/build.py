import os
from datetime import timedelta

import torch
from torch import nn
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo


def build(group, lr=1e-3):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
    inner = torch.optim.AdamW(net.parameters(), lr=lr)

    def load(state):
        net.load_state_dict(state["net"])
        inner.load_state_dict(state["opt"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        load_state_dict=load,
        state_dict=lambda: {"net": net.state_dict(), "opt": inner.state_dict()},
        min_replica_size=int(os.environ.get("MIN_REPLICAS", 1)),
        replica_id=f"reg_{group}",
    )
    return manager, DistributedDataParallel(manager, net), Optimizer(manager, inner)
