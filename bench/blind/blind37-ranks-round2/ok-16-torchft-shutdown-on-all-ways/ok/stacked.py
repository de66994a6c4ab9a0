import contextlib
import itertools
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, ProcessGroupGloo
from torchft.data import DistributedSampler

GROUP, GROUPS = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])


def average(manager, net):
    for work in [manager.allreduce(p.grad) for p in net.parameters()]:
        work.wait()


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 21), nn.ReLU(), nn.Linear(21, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    with contextlib.ExitStack() as stack:
        manager = Manager(
            pg=ProcessGroupGloo(),
            min_replica_size=1,
            load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
            state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
            replica_id=f"stacked_{GROUP}",
        )
        stack.callback(manager.shutdown)
        x = torch.randn(700, 7, generator=torch.Generator().manual_seed(7))
        data = TensorDataset(x, x.prod(1, keepdim=True))
        sampler = DistributedSampler(data, replica_rank=GROUP, num_replica_groups=GROUPS, shuffle=True)
        loader = DataLoader(data, batch_size=35, sampler=sampler, drop_last=True)
        for epoch in itertools.count():
            sampler.set_epoch(epoch)
            for a, b in loader:
                manager.start_quorum()
                opt.zero_grad()
                F.mse_loss(net(a), b).backward()
                average(manager, net)
                if not manager.should_commit():
                    continue
                opt.step()
            if manager.current_step() >= 200:
                break
        if GROUP == 0:
            torch.save(net.state_dict(), "stacked.pt")


if __name__ == "__main__":
    main()
