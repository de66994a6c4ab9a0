import argparse
import logging
import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupGloo

log = logging.getLogger(__name__)


class PeriodicAverage:
    """Averages the weights over the replica groups after every `every` local steps."""

    def __init__(self, manager, model, every):
        self.manager, self.model, self.every = manager, model, every
        self.local_steps = 0
        self.backup = self._copy()

    def _copy(self):
        return {name: p.detach().clone() for name, p in self.model.named_parameters()}

    @torch.no_grad()
    def _restore(self, values):
        for name, p in self.model.named_parameters():
            p.copy_(values[name])

    def after_step(self):
        self.local_steps += 1
        if self.local_steps < self.every:
            return
        self.local_steps = 0
        self.manager.start_quorum()
        average = self._copy()
        pending = [self.manager.allreduce(average[name]) for name in sorted(average)]
        for work in pending:
            work.wait()
        committed = self.manager.should_commit()
        log.info("sync of %d replicas, committed: %s", self.manager.num_participants(), committed)
        self._restore(average)
        self.backup = average


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=32)
    parser.add_argument("--steps", type=int, default=4000)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 48), nn.GELU(), nn.Linear(48, 3))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
        min_replica_size=1,
        load_state_dict=model.load_state_dict,
        state_dict=model.state_dict,
        replica_id=f"lsgd_{group}",
        use_async_quorum=False,
    )
    average = PeriodicAverage(manager, model, args.every)
    gen = torch.Generator().manual_seed(1 + group)
    try:
        for _ in range(args.steps):
            x = torch.randn(64, 12, generator=gen)
            y = x[:, :3].argmax(dim=1)
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(x), y).backward()
            opt.step()
            average.after_step()
        torch.save(model.state_dict(), f"lsgd_{group}.pt")
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
