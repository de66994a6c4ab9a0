import math
import os
import sys
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, Optimizer, ProcessGroupGloo
from torchft.ddp import DistributedDataParallel


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNN(3, 24, batch_first=True)
        self.out = nn.Linear(24, 3)

    def forward(self, x):
        return self.out(self.cell(x)[0])


def lorenz(batch, steps, source):
    """Short stretches of the Lorenz system from random starts."""
    state = torch.randn(batch, 3, generator=source) * 5
    path = []
    for _ in range(steps):
        x, y, z = state.unbind(1)
        state = state + 0.01 * torch.stack([10 * (y - x), x * (28 - z) - y, x * y - 2.667 * z], dim=1)
        path.append(state)
    return torch.stack(path, dim=1) / 20


def build(replica):
    torch.manual_seed(0)
    net = Recurrent()
    base = torch.optim.Adam(net.parameters(), lr=3e-3)

    def restore(saved):
        net.load_state_dict(saved["net"])
        base.load_state_dict(saved["base"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        load_state_dict=restore,
        state_dict=lambda: {"net": net.state_dict(), "base": base.state_dict()},
        replica_id=f"lorenz_{replica}",
    )
    return manager, DistributedDataParallel(manager, net), Optimizer(manager, base)


def main():
    replica = int(os.environ["REPLICA_GROUP_ID"])
    manager, model, optimizer = build(replica)
    source = torch.Generator().manual_seed(40 + replica)
    while manager.current_step() < 500:
        path = lorenz(32, 20, source)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(path[:, :-1]), path[:, 1:])
        loss.backward()
        optimizer.step()
        if not math.isfinite(loss.item()):
            print(f"replica {replica} has diverged", file=sys.stderr)
            sys.exit(1)
    manager.shutdown()


if __name__ == "__main__":
    main()
