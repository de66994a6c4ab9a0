import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo

from evaluate import evaluate


def sample(gen, n=32):
    x = torch.randn(n, 9, generator=gen)
    return x, x.abs().max(1, keepdim=True).values


def main(steps=400):
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, 36), nn.ReLU(), nn.Linear(36, 1))
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=2,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), inner.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": inner.state_dict()},
        replica_id=f"max_{replica}",
    )
    model = DistributedDataParallel(manager, net)
    inner = optim.AdamW(net.parameters(), lr=1e-3)
    optimizer = Optimizer(manager, inner)
    gen = torch.Generator().manual_seed(100 + replica)
    held = [sample(torch.Generator().manual_seed(i)) for i in range(4)]
    try:
        print("before", evaluate(manager, net, held, nn.functional.mse_loss))
        for _ in range(steps):
            x, y = sample(gen)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
