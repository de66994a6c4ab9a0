import itertools
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import Manager, Optimizer, ProcessGroupGloo
from torchft.data import DistributedSampler
from torchft.ddp import DistributedDataParallel


class Job:
    def __init__(self):
        self.group = int(os.environ["REPLICA_GROUP_ID"])
        torch.manual_seed(2)
        self.net = nn.Sequential(nn.Linear(8, 24), nn.SiLU(), nn.Linear(24, 2))
        inner = torch.optim.AdamW(self.net.parameters(), lr=2e-3)
        self.manager = Manager(
            pg=ProcessGroupGloo(),
            min_replica_size=1,
            load_state_dict=self.net.load_state_dict,
            state_dict=self.net.state_dict,
            replica_id=f"job_{self.group}",
        )
        self.model = DistributedDataParallel(self.manager, self.net)
        self.opt = Optimizer(self.manager, inner)
        x = torch.randn(960, 8, generator=torch.Generator().manual_seed(1))
        data = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
        groups = int(os.environ["NUM_REPLICA_GROUPS"])
        self.sampler = DistributedSampler(data, replica_rank=self.group, num_replica_groups=groups, shuffle=True)
        self.loader = DataLoader(data, batch_size=24, sampler=self.sampler, drop_last=True)

    def steps(self, total):
        for epoch in itertools.count():
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                self.opt.zero_grad()
                F.cross_entropy(self.model(x), y).backward()
                self.opt.step()
                if self.manager.current_step() >= total:
                    return

    def close(self):
        self.manager.shutdown()


def main():
    job = Job()
    try:
        job.steps(500)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        job.close()


if __name__ == "__main__":
    main()
