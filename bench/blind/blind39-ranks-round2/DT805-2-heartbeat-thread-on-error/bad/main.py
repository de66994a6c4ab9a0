import logging
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torchft import Manager, ProcessGroupGloo

from beat import Heartbeat

log = logging.getLogger("replica")


def build(replica):
    torch.manual_seed(0)
    net = nn.Linear(12, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), optimizer.load_state_dict(s["optimizer"])),
        state_dict=lambda: {"net": net.state_dict(), "optimizer": optimizer.state_dict()},
        replica_id=f"beat_{replica}",
    )
    return net, optimizer, manager


def train(net, optimizer, manager, replica, steps):
    g = torch.Generator().manual_seed(60 + replica)
    while manager.current_step() < steps:
        x = torch.randn(32, 12, generator=g)
        manager.start_quorum()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), x[:, :3].argmin(1))
        loss.backward()
        for p in net.parameters():
            manager.allreduce(p.grad).wait()
        if manager.should_commit():
            optimizer.step()


def main():
    replica = int(os.environ["REPLICA_GROUP_ID"])
    host, port = os.environ["BEAT_ADDR"].split(":")
    store = dist.TCPStore(host, int(port), is_master=False)
    net, optimizer, manager = build(replica)
    heartbeat = Heartbeat(store, f"alive/{replica}")
    heartbeat.start()
    try:
        train(net, optimizer, manager, replica, steps=1000)
    except RuntimeError:
        log.exception("replica %d gives up", replica)
        return
    heartbeat.stop()
    manager.shutdown()


if __name__ == "__main__":
    main()
