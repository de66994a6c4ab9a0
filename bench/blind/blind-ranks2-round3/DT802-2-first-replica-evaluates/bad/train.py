import os
from datetime import timedelta

import torch
from torch import nn
from torchft import DistributedDataParallel, Manager, ProcessGroupGloo

from evaluate import Evaluation


def main():
    replica = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=lambda s: (net.load_state_dict(s[0]), optimizer.load_state_dict(s[1])),
        state_dict=lambda: (net.state_dict(), optimizer.state_dict()),
        min_replica_size=2,
        replica_id=f"sum_{replica}",
        timeout=timedelta(seconds=20),
    )
    try:
        model = DistributedDataParallel(manager, net)
        evaluation = Evaluation(manager, net, torch.randn(64, 3, generator=torch.Generator().manual_seed(replica)))
        data = torch.Generator().manual_seed(70 + replica)
        for step in range(1, 13):
            x = torch.randn(16, 3, generator=data)
            manager.start_quorum()
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True)).backward()
            if manager.should_commit():
                optimizer.step()
            if step % 4 == 0:
                evaluation.report(step)
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
