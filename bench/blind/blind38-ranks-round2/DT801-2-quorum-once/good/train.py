import logging
import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchft
from torch.utils.data import DataLoader, IterableDataset

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("replica")


class Noise(IterableDataset):
    def __init__(self, group):
        self.group = group

    def __iter__(self):
        gen = torch.Generator().manual_seed(9000 + self.group)
        while True:
            x = torch.randn(28, generator=gen)
            yield x, x.clamp(min=0)


class Step:
    """Forward, backward, gradients averaged over the replica groups, and the vote."""

    def __init__(self, manager, net, opt):
        self.manager, self.net, self.opt = manager, net, opt

    def __call__(self, x, y):
        self.manager.start_quorum()
        self.opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(self.net(x), y)
        loss.backward()
        works = [self.manager.allreduce(p.grad) for p in self.net.parameters()]
        for work in works:
            work.wait()
        if self.manager.should_commit():
            self.opt.step()
        return loss.item()


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(28, 112), nn.GELU(), nn.Linear(112, 28))
    opt = torch.optim.AdamW(net.parameters(), lr=5e-4)
    manager = torchft.Manager(
        pg=torchft.ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=2,
        load_state_dict=lambda state: (net.load_state_dict(state["net"]), opt.load_state_dict(state["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"noise_{group}",
    )
    loader = iter(DataLoader(Noise(group), batch_size=64))
    try:
        step = Step(manager, net, opt)
        while manager.current_step() < 3000:
            loss = step(*next(loader))
            if manager.current_step() % 50 == 0:
                log.info("step %d loss %.4f with %d replicas", manager.current_step(), loss, manager.num_participants())
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
