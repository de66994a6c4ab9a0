import os
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo

from ft.loop import FaultTolerantLoop


def main(max_steps=500):
    group = int(os.environ.get("REPLICA_GROUP_ID", 0))
    groups = int(os.environ.get("NUM_REPLICA_GROUPS", 2))
    torch.manual_seed(0)
    model = nn.Linear(12, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=lambda s: (model.load_state_dict(s["model"]), optimizer.load_state_dict(s["optim"])),
        state_dict=lambda: {"model": model.state_dict(), "optim": optimizer.state_dict()},
        replica_id=f"train_{group}",
    )
    x = torch.randn(4096, 12, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    loop = FaultTolerantLoop(manager, model, optimizer, torch.device("cpu"))
    try:
        epoch = 0
        while manager.current_step() < max_steps:
            sampler.set_epoch(epoch)
            for x, y in loader:
                loop.step(x, y)
                if manager.current_step() >= max_steps:
                    break
            epoch += 1
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
