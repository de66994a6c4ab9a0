"""torchft manager by hand: start_quorum, allreduce of gradients, should_commit."""
import os

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    manager = Manager(
        pg=ProcessGroupGloo(), min_replica_size=2, replica_id=f"g{group}",
        load_state_dict=lambda s: model.load_state_dict(s["m"]), state_dict=lambda: {"m": model.state_dict()},
    )
    g = torch.Generator().manual_seed(100 + group)
    try:
        while manager.current_step() < 500:
            manager.start_quorum()
            x = torch.randn(16, 8, generator=g)
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            works = [manager.allreduce(p.grad) for p in model.parameters()]
            for work in works:
                work.wait()
            manager.should_commit()
            optimizer.step()
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
