import os
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo


@contextmanager
def managed(net, opt, group):
    manager = Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"replica_{group}",
        min_replica_size=2,
        use_async_quorum=True,
    )
    try:
        yield manager
    finally:
        manager.shutdown()


def step(manager, net, opt, x, y):
    manager.start_quorum()
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    works = [manager.allreduce(p.grad) for p in net.parameters()]
    for work in works:
        work.wait()
    if manager.should_commit():
        opt.step()
    return loss.item()


def main():
    group = int(os.environ.get("REPLICA_GROUP_ID", "0"))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 24), nn.Softplus(), nn.Linear(24, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    noise = torch.Generator().manual_seed(1000 + group)
    with managed(net, opt, group) as manager:
        while manager.current_step() < 300:
            x = torch.randn(32, 6, generator=noise)
            loss = step(manager, net, opt, x, x.norm(dim=1, keepdim=True))
            if manager.current_step() % 25 == 0:
                print(f"group {group} step {manager.current_step()} loss {loss:.4f}")


if __name__ == "__main__":
    main()
