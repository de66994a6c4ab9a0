import os
from datetime import timedelta

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupGloo
from torchvision.datasets import FakeData
from torchvision.transforms import ToTensor

REPLICA = int(os.environ.get("REPLICA_GROUP_ID", 0))
REPLICAS = int(os.environ.get("NUM_REPLICA_GROUPS", 2))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 5, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.head = nn.Linear(128, 10)

    def forward(self, images):
        return self.head(self.body(images))


def average_start(manager, model):
    """All replicas begin from the mean of their initial weights."""
    for p in model.parameters():
        manager.allreduce(p.data).wait()


def build_loader():
    data = FakeData(size=2000, image_size=(3, 32, 32), num_classes=10, transform=ToTensor())
    sampler = DistributedSampler(data, replica_group=REPLICA, num_replica_groups=REPLICAS, rank=0, num_replicas=1)
    return DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)


def main():
    torch.manual_seed(0)
    model = Classifier()
    base = optim.AdamW(model.parameters(), lr=1e-3)

    def state():
        return {"model": model.state_dict(), "optim": base.state_dict()}

    def restore(saved):
        model.load_state_dict(saved["model"])
        base.load_state_dict(saved["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        load_state_dict=restore,
        state_dict=state,
        replica_id=f"classify_{REPLICA}",
    )
    try:
        replicated = DistributedDataParallel(manager, model)
        optimizer = Optimizer(manager, base)
        for x, y in build_loader():
            optimizer.zero_grad()
            F.cross_entropy(replicated(x), y).backward()
            optimizer.step()
            if manager.current_step() >= 100:
                break
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
