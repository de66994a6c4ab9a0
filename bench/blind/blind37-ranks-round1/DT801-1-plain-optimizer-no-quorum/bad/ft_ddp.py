import itertools
import logging
import os
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, ProcessGroupGloo

logger = logging.getLogger(__name__)


def build():
    return nn.Sequential(nn.Linear(10, 30), nn.ReLU(), nn.Linear(30, 2))


def data():
    x = torch.randn(1024, 10, generator=torch.Generator().manual_seed(12))
    return TensorDataset(x, (x.sum(1) > 0).long())


def train(manager, model, optimizer, loader, sampler, total):
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            if manager.should_commit():
                optimizer.step()
            if manager.current_step() >= total:
                return


def main():
    logging.basicConfig(level=logging.INFO)
    group, groups = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    torch.manual_seed(0)
    net = build()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)

    def state_dict():
        return {"net": net.state_dict(), "opt": optimizer.state_dict()}

    def load_state_dict(sd):
        net.load_state_dict(sd["net"])
        optimizer.load_state_dict(sd["opt"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=load_state_dict,
        state_dict=state_dict,
        replica_id=f"ft_ddp_{group}",
    )
    try:
        dataset = data()
        sampler = DistributedSampler(
            dataset, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1, shuffle=True
        )
        loader = DataLoader(dataset, batch_size=32, sampler=sampler, drop_last=True)
        model = DistributedDataParallel(manager, net)
        train(manager, model, optimizer, loader, sampler, total=100)
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
