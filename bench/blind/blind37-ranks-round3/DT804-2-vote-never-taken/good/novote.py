import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler
from torchft.ddp import DistributedDataParallel


def main():
    group, groups = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 18), nn.ReLU(), nn.Linear(18, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    manager = Manager(
        pg=ProcessGroupGloo(),
        min_replica_size=1,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"novote_{group}",
    )
    try:
        model = DistributedDataParallel(manager, net)
        x = torch.randn(900, 6, generator=torch.Generator().manual_seed(2))
        data = TensorDataset(x, x[:, :3].argmax(1))
        sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, shuffle=True)
        loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
        for epoch in range(10):
            sampler.set_epoch(epoch)
            for a, b in loader:
                manager.start_quorum()
                opt.zero_grad()
                loss = F.cross_entropy(model(a), b)
                loss.backward()
                if manager.should_commit():
                    opt.step()
        if group == 0:
            torch.save(net.state_dict(), "novote.pt")
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
