import os
from datetime import timedelta

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo
from torchft.ddp import DistributedDataParallel


def manager_for(objects, replica):
    """A manager which sends these objects' state to replicas that join later."""

    def collect():
        return {name: obj.state_dict() for name, obj in objects.items()}

    def restore(state):
        for name, obj in objects.items():
            obj.load_state_dict(state[name])

    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        load_state_dict=restore,
        state_dict=collect,
        replica_id=f"regress_{replica}",
    )


def dataset():
    g = torch.Generator().manual_seed(77)
    x = torch.randn(1500, 14, generator=g)
    return TensorDataset(x, x.abs().sum(dim=1, keepdim=True))


def train(manager, model, optimizer, scheduler, loader, epochs):
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            manager.start_quorum()
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.smooth_l1_loss(model(x), y)
            loss.backward()
            if manager.should_commit():
                optimizer.step()
                scheduler.step()
        if manager.participating_rank() == 0:
            print(f"epoch {epoch}: loss of this replica {loss.item():.4f}")


def main():
    replica, replicas = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(14, 56), nn.ReLU(), nn.Linear(56, 1))
    optimizer = torch.optim.RAdam(net.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200)
    manager = manager_for({"net": net, "optimizer": optimizer, "scheduler": scheduler}, replica)
    data = dataset()
    sampler = DistributedSampler(data, replica_group=replica, num_replica_groups=replicas, rank=0, num_replicas=1)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    try:
        train(manager, DistributedDataParallel(manager, net), optimizer, scheduler, loader, epochs=4)
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
