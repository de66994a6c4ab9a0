import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupNCCL


def manager_for(net, name, lighthouse):
    return Manager(
        pg=ProcessGroupNCCL(timeout=timedelta(seconds=30)),
        min_replica_size=2,
        load_state_dict=net.load_state_dict,
        state_dict=net.state_dict,
        lighthouse_addr=os.environ[lighthouse],
        replica_id=name,
    )


class Outer:
    """Averages the weights over the clusters, every `every` steps, and applies the result one round later."""

    def __init__(self, manager, net, every):
        self.manager, self.net, self.every = manager, net, every
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.pending = None

    def average(self, weights):
        self.manager.start_quorum()
        for work in [self.manager.allreduce(w) for w in weights]:
            work.wait()
        return weights if self.manager.should_commit() else None

    def apply(self, weights):
        if weights is not None:
            with torch.no_grad():
                for p, w in zip(self.net.parameters(), weights):
                    p.lerp_(w, 0.5)

    def after(self, step):
        if step % self.every:
            return
        weights = [p.detach().clone() for p in self.net.parameters()]
        if self.pending is not None:
            self.apply(self.pending.result())
        self.pending = self.pool.submit(self.average, weights)


def inner_step(manager, net, opt, x):
    manager.start_quorum()
    opt.zero_grad()
    F.mse_loss(net(x), x.flip(1)).backward()
    for work in [manager.allreduce(p.grad) for p in net.parameters()]:
        work.wait()
    if manager.should_commit():
        opt.step()


def main():
    replica, cluster = int(os.environ["REPLICA_GROUP_ID"]), os.environ["CLUSTER"]
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(48, 192), nn.ReLU(), nn.Linear(192, 48)).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    inner = manager_for(net, f"inner_{cluster}_{replica}", "INNER_LIGHTHOUSE")
    outer_manager = manager_for(net, f"outer_{cluster}_{replica}", "OUTER_LIGHTHOUSE")
    outer = Outer(outer_manager, net, every=20)
    gen = torch.Generator(device).manual_seed(replica)
    try:
        for step in range(1, 2001):
            inner_step(inner, net, opt, torch.randn(64, 48, generator=gen, device=device))
            outer.after(step)
    finally:
        outer.pool.shutdown(wait=True)
        outer_manager.shutdown()
        inner.shutdown()


if __name__ == "__main__":
    main()
