import logging
import os
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo

log = logging.getLogger("vit")


class Patches(Dataset):
    def __init__(self, n=3000):
        gen = torch.Generator().manual_seed(2)
        self.data = torch.randn(n, 16, 12, generator=gen)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i], int(self.data[i].sum() > 0)


class Tiny(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(dim, 3, 24, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, 2)

    def forward(self, patches):
        return self.out(self.block(patches).mean(1))


class Committer:
    """Brings gradients together and steps when the quorum says so."""

    def __init__(self, manager, model, optimizer):
        self.manager, self.model, self.optimizer = manager, model, optimizer
        self.dropped = 0

    def begin(self):
        self.manager.start_quorum()
        self.optimizer.zero_grad(set_to_none=True)

    def reduce(self):
        works = [self.manager.allreduce(p.grad) for p in self.model.parameters() if p.grad is not None]
        for work in works:
            work.wait()

    def end(self):
        if not self.manager.should_commit():
            self.dropped += 1
            log.warning("step %d was not committed", self.manager.current_step())
            return
        self.optimizer.step()


def main():
    group, groups = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    torch.manual_seed(0)
    model = Tiny()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
        min_replica_size=1,
        load_state_dict=lambda s: (model.load_state_dict(s["m"]), optimizer.load_state_dict(s["o"])),
        state_dict=lambda: {"m": model.state_dict(), "o": optimizer.state_dict()},
        replica_id=f"vit_{group}",
    )
    data = Patches()
    sampler = DistributedSampler(data, replica_group=group, num_replica_groups=groups, rank=0, num_replicas=1)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    committer = Committer(manager, model, optimizer)
    try:
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for x, y in loader:
                committer.begin()
                nn.functional.cross_entropy(model(x), y).backward()
                committer.reduce()
                committer.end()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
