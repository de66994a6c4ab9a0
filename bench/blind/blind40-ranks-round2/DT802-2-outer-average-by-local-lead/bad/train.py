import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from two_level import TwoLevel


def make_manager(name, model, optimizer, members):
    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
        min_replica_size=members,
        load_state_dict=lambda s: (model.load_state_dict(s["model"]), optimizer.load_state_dict(s["optim"])),
        state_dict=lambda: {"model": model.state_dict(), "optim": optimizer.state_dict()},
        replica_id=name,
    )


def main(steps=300):
    rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    replica = os.environ["REPLICA_GROUP_ID"]
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = optim.SGD(model.parameters(), lr=0.02)
    inner = make_manager(f"inner_{replica}_{rank}", model, optimizer, 2)
    outer = make_manager(f"outer_{replica}_{rank}", model, optimizer, 2)
    levels = TwoLevel(inner, outer, model, local_rank, period=20)
    stream = torch.Generator().manual_seed(50 + rank)
    try:
        for _ in range(steps):
            x = torch.randn(16, 12, generator=stream)
            loss = nn.functional.mse_loss(model(x), x.prod(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            if levels.reduce_gradients():
                optimizer.step()
            levels.after_step()
    finally:
        outer.shutdown()
        inner.shutdown()


if __name__ == "__main__":
    main()
