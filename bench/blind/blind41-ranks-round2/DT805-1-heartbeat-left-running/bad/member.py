import os
import threading
import time

import torch
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo


class Heartbeat(threading.Thread):
    def __init__(self, path, period=5.0):
        super().__init__()
        self.path, self.period = path, period
        self.done = threading.Event()

    def run(self):
        while not self.done.wait(self.period):
            with open(self.path, "w") as handle:
                handle.write(str(time.time()))


def train(manager, net, opt, gen):
    while manager.current_step() < 1000:
        manager.start_quorum()
        x = torch.randn(8, 6, generator=gen)
        opt.zero_grad()
        loss = (net(x) - x).abs().mean()
        if loss.isnan():
            raise FloatingPointError("nan")
        loss.backward()
        for p in net.parameters():
            manager.allreduce(p.grad).wait()
        if manager.should_commit():
            opt.step()


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Linear(6, 6)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    manager = Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"member_{group}",
        min_replica_size=1,
    )
    heartbeat = Heartbeat(f"/tmp/heartbeat-{group}")
    heartbeat.start()
    gen = torch.Generator().manual_seed(group)
    train(manager, net, opt, gen)
    heartbeat.done.set()
    manager.shutdown()


if __name__ == "__main__":
    main()
