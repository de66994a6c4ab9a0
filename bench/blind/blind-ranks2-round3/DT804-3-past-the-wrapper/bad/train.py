import os
from datetime import timedelta

import torch
from torch import nn
from torchft import DistributedDataParallel, Manager, ProcessGroupGloo

from stepper import Stepper


def main():
    replica = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 7))
    inner = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(inner, T_max=20)

    def save():
        return {"net": net.state_dict(), "inner": inner.state_dict(), "schedule": schedule.state_dict()}

    def load(state):
        net.load_state_dict(state["net"])
        inner.load_state_dict(state["inner"])
        schedule.load_state_dict(state["schedule"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=load,
        state_dict=save,
        min_replica_size=1,
        replica_id=f"auto_{replica}",
        timeout=timedelta(seconds=20),
    )
    try:
        model = DistributedDataParallel(manager, net)
        stepper = Stepper(manager, inner, schedule, limit=1.0)
        data = torch.Generator().manual_seed(80 + replica)
        for _ in range(20):
            x = torch.randn(32, 7, generator=data)
            stepper.begin()
            nn.functional.mse_loss(model(x), x).backward()
            stepper.finish(net.parameters())
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
