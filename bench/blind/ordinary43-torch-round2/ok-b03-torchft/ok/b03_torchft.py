"""torchft with DDP and the optimizer wrapper."""
import logging
import os

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupGloo


class Data(Dataset):
    def __len__(self):
        return 5000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(3, 32, 32, generator=g), i % 10


def main():
    logging.basicConfig(level=logging.INFO)
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    replicas = int(os.environ.get("NUM_REPLICA_GROUPS", 2))
    data = Data()
    sampler = DistributedSampler(data, replica_rank=replica, num_replica_groups=replicas, group_rank=0, num_replicas=1, shuffle=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=2)
    model = nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 28 * 28, 10))

    def load(state):
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["optim"])

    def save():
        return {"model": model.state_dict(), "optim": opt.state_dict()}

    manager = Manager(
        pg=ProcessGroupGloo(), min_replica_size=1, load_state_dict=load, state_dict=save, replica_id=f"train_{replica}",
    )
    ddp = DistributedDataParallel(manager, model)
    opt = Optimizer(manager, optim.AdamW(ddp.parameters()))
    try:
        while manager.current_step() < 1000:
            for x, y in loader:
                opt.zero_grad()
                loss = nn.functional.cross_entropy(ddp(x), y)
                loss.backward()
                opt.step()
                if manager.current_step() % 100 == 0:
                    logging.info("[%d] step %d loss %.3f", replica, manager.current_step(), loss.item())
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
