import argparse
import os
from datetime import timedelta

import torch
from torch import nn, optim
from torchft import Manager, ProcessGroupGloo

from loop import TimeLimited


def stream(replica, count):
    gen = torch.Generator().manual_seed(31 + replica)
    for _ in range(count):
        x = torch.randn(32, 5, generator=gen)
        yield x, x.sin().sum(1, keepdim=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=600)
    p.add_argument("--batches", type=int, default=10_000)
    args = p.parse_args()
    replica = int(os.environ.get("REPLICA_GROUP_ID", 0))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 25), nn.ReLU(), nn.Linear(25, 1))
    opt = optim.Adam(net.parameters(), lr=1e-3)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=1,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"timed_{replica}",
    )
    steps = TimeLimited(manager, net, opt, args.seconds).run(stream(replica, args.batches))
    print("steps:", steps)


if __name__ == "__main__":
    main()
