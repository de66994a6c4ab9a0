import os
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupNCCL, ProcessGroupGloo


@dataclass
class Config:
    replica: int = int(os.environ.get("REPLICA_GROUP_ID", 0))
    replicas: int = int(os.environ.get("NUM_REPLICA_GROUPS", 2))
    warmup: int = 20
    lr: float = 1e-3


class Step:
    def __init__(self, cfg, manager, model, optimizer):
        self.cfg, self.manager, self.model, self.optimizer = cfg, manager, model, optimizer
        self.taken = 0

    def reduce(self):
        pending = [self.manager.allreduce(p.grad) for p in self.model.parameters()]
        for work in pending:
            work.wait()

    def __call__(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        if self.taken >= self.cfg.warmup:
            self.manager.start_quorum()
        nn.functional.cross_entropy(self.model(x), y).backward()
        self.reduce()
        if self.manager.should_commit():
            self.optimizer.step()
        self.taken += 1


def main():
    cfg = Config()
    cuda = torch.cuda.is_available()
    device = torch.device("cuda" if cuda else "cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 6)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    group = ProcessGroupNCCL if cuda else ProcessGroupGloo
    manager = Manager(
        pg=group(timeout=timedelta(seconds=30)),
        min_replica_size=1,
        load_state_dict=lambda s: [o.load_state_dict(s[n]) for n, o in (("model", model), ("optimizer", optimizer))],
        state_dict=lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
        replica_id=f"warm_{cfg.replica}",
    )
    g = torch.Generator().manual_seed(3)
    data = TensorDataset(torch.randn(960, 40, generator=g), torch.randint(0, 6, (960,), generator=g))
    sampler = DistributedSampler(data, replica_group=cfg.replica, num_replica_groups=cfg.replicas, rank=0, num_replicas=1)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    step = Step(cfg, manager, model, optimizer)
    try:
        for epoch in range(3):
            sampler.set_epoch(epoch)
            for x, y in loader:
                step(x.to(device), y.to(device))
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
