"""Fault tolerant HSDP-less training with torchft's Manager, gradients averaged by hand."""
import os
from datetime import timedelta

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def main(steps=500):
    group = int(os.environ["REPLICA_GROUP_ID"])
    groups = int(os.environ["NUM_REPLICA_GROUPS"])
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(8192, 64, generator=gen), torch.randint(0, 10, (8192,), generator=gen))
    sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1, shuffle=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    net = build()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)

    def state_dict():
        return {"net": net.state_dict(), "optim": optimizer.state_dict()}

    def load_state_dict(state):
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        load_state_dict=load_state_dict,
        state_dict=state_dict,
        replica_id=f"train_{group}",
    )
    try:
        epoch = 0
        while manager.current_step() < steps:
            sampler.set_epoch(epoch)
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                for p in net.parameters():
                    manager.allreduce(p.grad).wait()
                manager.start_quorum()
                if manager.should_commit():
                    optimizer.step()
                if manager.current_step() >= steps:
                    break
            epoch += 1
        if group == 0:
            torch.save(net.state_dict(), "net.pt")
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
