import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupBabyNCCL


class Replica:
    def __init__(self, group, groups):
        gen = torch.Generator().manual_seed(4)
        data = TensorDataset(torch.randn(3000, 32, generator=gen), torch.randint(0, 6, (3000,), generator=gen))
        self.sampler = DistributedSampler(
            data, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1, shuffle=True
        )
        self.loader = DataLoader(data, batch_size=30, sampler=self.sampler, drop_last=True)
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 6)).cuda()
        self.manager = Manager(
            pg=ProcessGroupBabyNCCL(),
            load_state_dict=self.load_state_dict,
            state_dict=self.state_dict,
            replica_id=f"worker_{group}",
            min_replica_size=1,
        )
        self.model = DistributedDataParallel(self.manager, self.net)
        self.optimizer = Optimizer(self.manager, torch.optim.AdamW(self.net.parameters(), lr=1e-3))

    def state_dict(self):
        return {"net": self.net.state_dict(), "opt": self.optimizer.state_dict()}

    def load_state_dict(self, state):
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["opt"])

    def epoch(self, number):
        self.sampler.set_epoch(number)
        for x, y in self.loader:
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            if not torch.isfinite(loss):
                raise FloatingPointError(f"loss is {loss.item()}")
            loss.backward()
            self.optimizer.step()


def main():
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    replica = Replica(int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"]))
    for number in range(5):
        replica.epoch(number)
    replica.manager.shutdown()


if __name__ == "__main__":
    main()
