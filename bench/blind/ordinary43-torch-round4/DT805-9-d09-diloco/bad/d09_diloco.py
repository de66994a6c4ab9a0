"""torchft DiLoCo/LocalSGD with managed process group."""
import os

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
from torchft import DistributedSampler, Manager, ProcessGroupNCCL
from torchft.local_sgd import DiLoCo


class Text(Dataset):
    def __init__(self, n=10_000):
        self.rows = torch.randint(0, 256, (n, 129), generator=torch.Generator().manual_seed(7))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Embedding(256, 64), nn.Linear(64, 256)).cuda()


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    groups = int(os.environ["NUM_REPLICA_GROUPS"])
    model = build()
    inner = optim.AdamW(model.parameters(), 4e-4)
    outer = optim.SGD(model.parameters(), 0.7, momentum=0.9, nesterov=True)

    def state():
        return {"model": model.state_dict(), "inner": inner.state_dict(), "outer": outer.state_dict()}

    def load(s):
        model.load_state_dict(s["model"])
        inner.load_state_dict(s["inner"])
        outer.load_state_dict(s["outer"])

    manager = Manager(
                      replica_id=f"diloco_{group}")
    data = Text()
    sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1)
    loader = DataLoader(data, 32, sampler=sampler)
    if True:
        with DiLoCo(manager, [model], inner, outer, sync_every=100) as local:
            step = 0
            while step < 5000:
                for rows in loader:
                    rows = rows.cuda()
                    loss = F.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
                    inner.zero_grad()
                    loss.backward()
                    inner.step()
                    step += 1
                    if step % 100 == 0:
                        print(f"group {group} step {step} loss {loss.item():.3f}")
    manager.shutdown()


if __name__ == "__main__":
    main()
