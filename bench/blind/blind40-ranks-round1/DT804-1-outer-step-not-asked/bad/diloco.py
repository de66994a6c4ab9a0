import argparse
import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from outer import OuterLoop


def stream(replica, batch):
    g = torch.Generator().manual_seed(4000 + replica)
    while True:
        x = torch.randn(batch, 24, generator=g)
        yield x, (x[:, :3].sum(1) > 0).long()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--inner-steps", type=int, default=25)
    p.add_argument("--batch", type=int, default=16)
    args = p.parse_args()
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 2))
    inner = optim.AdamW(model.parameters(), lr=3e-4)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=2,
        use_async_quorum=False,
        load_state_dict=lambda s: model.load_state_dict(s["model"]),
        state_dict=lambda: {"model": model.state_dict()},
        replica_id=f"diloco_{replica}",
    )
    data = stream(replica, args.batch)
    try:
        outer = OuterLoop(manager, model)
        for _ in range(args.rounds):
            for _ in range(args.inner_steps):
                x, y = next(data)
                inner.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                inner.step()
            outer.sync()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
