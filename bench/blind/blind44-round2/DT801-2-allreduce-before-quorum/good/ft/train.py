import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo

from ft.metrics import GroupMean


def batches(seed, n):
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        yield torch.randn(16, 4, generator=g)


def main(steps=200):
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Linear(4, 4)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=net.load_state_dict,
        state_dict=net.state_dict,
        min_replica_size=1,
        replica_id=f"net_{group}",
    )
    mean = GroupMean(manager)
    try:
        for x in batches(100 + group, steps):
            manager.start_quorum()
            loss = (net(x) - x).square().mean()
            shown = mean(loss.item())
            opt.zero_grad()
            loss.backward()
            for p in net.parameters():
                manager.allreduce(p.grad).wait()
            if manager.should_commit():
                opt.step()
            if group == 0:
                print(manager.current_step(), shown)
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
