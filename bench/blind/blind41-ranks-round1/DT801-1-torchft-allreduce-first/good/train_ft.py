import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupGloo


def main():
    group = int(os.environ.get("REPLICA_GROUP_ID", 0))
    groups = int(os.environ.get("NUM_REPLICA_GROUPS", 2))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2000, 20, generator=gen), torch.randint(0, 2, (2000,), generator=gen))
    sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1, shuffle=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 2))

    def state_dict():
        return {"model": net.state_dict(), "optim": optimizer.state_dict()}

    def load_state_dict(state):
        net.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    manager = Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=load_state_dict,
        state_dict=state_dict,
        replica_id=f"train_{group}",
        min_replica_size=1,
    )
    model = DistributedDataParallel(manager, net)
    optimizer = Optimizer(manager, torch.optim.SGD(net.parameters(), lr=0.05))
    try:
        baseline = torch.tensor([0.0])
        with torch.no_grad():
            for x, y in loader:
                baseline += F.cross_entropy(net(x), y)
                break
        print(f"[{group}] loss before training {baseline.item():.3f}")
        for epoch in range(3):
            sampler.set_epoch(epoch)
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                if manager.current_step() % 50 == 0:
                    print(f"[{manager.current_step()}] loss {loss.item():.3f}")
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
